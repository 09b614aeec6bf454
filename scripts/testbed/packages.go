package main

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const busybox = "/bin/busybox"

// debianPackages are what a real node needs and Go modules do not give.
var debianPackages = []struct {
	name    string
	present func() bool
}{
	{"runc", func() bool { return exists("/usr/sbin/runc") || exists("/usr/bin/runc") }},
	{"containernetworking-plugins", func() bool { return exists("/usr/lib/cni/ptp") && exists("/usr/lib/cni/host-local") }},
	{"busybox-static", staticBusybox},
	// for the image of the program itself, see scripts/image
	{"buildah", func() bool { return exists("/usr/bin/buildah") }},
	// for the metrics; promtool comes with prometheus
	{"prometheus", func() bool { return exists("/usr/bin/prometheus") && exists("/usr/bin/promtool") }},
	{"prometheus-pushgateway", func() bool { return exists("/usr/bin/prometheus-pushgateway") }},
}

// staticBusybox says whether busybox runs where nothing else is.
func staticBusybox() bool {
	f, err := elf.Open(busybox)
	if err != nil {
		return false
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return false
		}
	}
	return true
}

func missingPackages() []string {
	var names []string
	for _, p := range debianPackages {
		if !p.present() {
			names = append(names, p.name)
		}
	}
	return names
}

// prepareHost makes sure that a real node can run here: as root it installs
// the Debian packages that are missing, else it names all that is.
func prepareHost(ctx context.Context) error {
	names := missingPackages()
	if os.Geteuid() != 0 {
		need := "root"
		if len(names) > 0 {
			need += " and the Debian packages " + strings.Join(names, " ")
		}
		return fmt.Errorf("a real node needs %s; without --node neither is needed", need)
	}
	if len(names) == 0 {
		return nil
	}
	progress("install %s", strings.Join(names, " "))
	for _, args := range [][]string{
		{"update"},
		append([]string{"install", "--yes", "--no-install-recommends"}, names...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	if left := missingPackages(); len(left) > 0 {
		return errors.New("installed, but not found where expected: " + strings.Join(left, " "))
	}
	return nil
}
