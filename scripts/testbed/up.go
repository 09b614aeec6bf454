package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

type upOptions struct {
	// node asks for a real node too.
	node bool
	// owner is the process that the testbed must not outlive; 0 is nobody.
	owner int
	// ttl is the testbed's longest life.
	ttl time.Duration
	// newGuard says that owner or ttl were asked for, not left alone.
	newGuard bool
}

// up leaves the testbed running and ready and returns its environment. What
// runs already is kept, what is dead or frozen is brought back, with the same
// ports and data.
func up(ctx context.Context, name string, o upOptions) (string, error) {
	t := newTestbed(name)
	if err := t.checkName(); err != nil {
		return "", err
	}
	programs := controlPlanePrograms
	if o.node {
		if err := prepareHost(ctx); err != nil {
			return "", err
		}
		programs = programNames()
	}
	bin, seaweedBin, err := buildParts(ctx, programs)
	if err != nil {
		return "", err
	}
	held, err := t.lock()
	if err != nil {
		return "", err
	}
	defer held.Close()
	if err := t.load(); err != nil {
		return "", err
	}
	t.Bin, t.SeaweedBin = bin, seaweedBin
	if t.Created.IsZero() {
		t.Created = time.Now()
	}
	t.Node = t.Node || o.node
	if err := t.prepare(o); err != nil {
		return "", err
	}
	if err := t.startAll(ctx); err != nil {
		return "", fmt.Errorf("%w\n(testbed down --name %s removes what is left)", err, t.name)
	}
	env := t.environment()
	if err := writeFile(t.path("env"), []byte(env)); err != nil {
		return "", fmt.Errorf("save environment: %w", err)
	}
	return env, nil
}

// prepare makes all that the parts read, and the guard that ends it all.
func (t *testbed) prepare(o upOptions) error {
	if err := t.makeFolders(); err != nil {
		return err
	}
	if err := t.choosePorts(); err != nil {
		return err
	}
	if err := t.startWatchdog(o); err != nil {
		return err
	}
	if err := t.makePKI(); err != nil {
		return err
	}
	if err := t.makeStoreFolders(); err != nil {
		return err
	}
	if err := t.writeStore2Config(); err != nil {
		return err
	}
	return t.writeKwokConfig()
}

// startAll is the order of things: each step needs the one before it.
func (t *testbed) startAll(ctx context.Context) error {
	if err := t.ensure(ctx, t.etcd()); err != nil {
		return err
	}
	if err := t.ensure(ctx, t.apiserver(), t.store(), t.storeTLS(), t.store2()); err != nil {
		return err
	}
	if err := t.makeBuckets(ctx); err != nil {
		return err
	}
	if err := t.makeKwokNode(ctx); err != nil {
		return err
	}
	if err := t.ensure(ctx, t.controllerManager(), t.scheduler(), t.kwok()); err != nil {
		return err
	}
	if t.Node {
		if err := t.startNode(ctx); err != nil {
			return err
		}
	}
	return t.waitCluster(ctx)
}

// bin is the path of a built program.
func (t *testbed) bin(program string) string {
	if seaweedModule.programs[program] != "" {
		return filepath.Join(t.SeaweedBin, program)
	}
	return filepath.Join(t.Bin, program)
}
