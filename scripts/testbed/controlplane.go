package main

func (t *testbed) etcd() part {
	client, peer := t.url("http", "etcd"), t.url("http", "etcd-peer")
	return part{
		name: "etcd",
		args: []string{
			"--data-dir=" + t.path("data", "etcd"),
			"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=default=" + peer,
			"--unsafe-no-fsync", // a test cluster need not survive a power cut
			"--log-level=warn",
		},
		ready: t.answers("http", "etcd", "/health"),
	}
}

func (t *testbed) apiserver() part {
	return part{
		name: "kube-apiserver",
		args: []string{
			"--etcd-servers=" + t.url("http", "etcd"),
			"--bind-address=127.0.0.1", portFlag("secure-port", t, "kube-apiserver"),
			"--endpoint-reconciler-type=none", // else it refuses to advertise a loopback address
			"--service-cluster-ip-range=10.96.0.0/16",
			"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
			"--client-ca-file=" + t.pki("ca.crt"),
			"--tls-cert-file=" + t.pki("kube-apiserver.crt"), "--tls-private-key-file=" + t.pki("kube-apiserver.key"),
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + t.pki("sa.pub"), "--service-account-signing-key-file=" + t.pki("sa.key"),
			"--kubelet-client-certificate=" + t.pki("apiserver-to-kubelet.crt"),
			"--kubelet-client-key=" + t.pki("apiserver-to-kubelet.key"),
			"--kubelet-certificate-authority=" + t.pki("ca.crt"),
			// The real node is found by its line in /etc/hosts, the fake one by its address.
			"--kubelet-preferred-address-types=Hostname,InternalIP",
			"--delete-collection-workers=8",
		},
		ready: t.answers("https", "kube-apiserver", "/readyz"),
	}
}

func (t *testbed) controllerManager() part {
	return part{
		name: "kube-controller-manager",
		args: append(t.controlPlaneFlags("kube-controller-manager"),
			"--root-ca-file="+t.pki("ca.crt"),
			"--service-account-private-key-file="+t.pki("sa.key"),
			"--use-service-account-credentials=true",
			"--terminated-pod-gc-threshold=0", // else podgc trims what the tests seed
			"--kube-api-qps=500", "--kube-api-burst=1000",
		),
		ready: t.answers("https", "kube-controller-manager", "/healthz"),
	}
}

func (t *testbed) scheduler() part {
	return part{
		name:  "kube-scheduler",
		args:  t.controlPlaneFlags("kube-scheduler"),
		ready: t.answers("https", "kube-scheduler", "/healthz"),
	}
}

func (t *testbed) controlPlaneFlags(name string) []string {
	return []string{
		"--kubeconfig=" + t.config(name+".kubeconfig"), "--leader-elect=false",
		"--bind-address=127.0.0.1", portFlag("secure-port", t, name),
		"--tls-cert-file=" + t.pki("control-plane-serving.crt"),
		"--tls-private-key-file=" + t.pki("control-plane-serving.key"),
	}
}
