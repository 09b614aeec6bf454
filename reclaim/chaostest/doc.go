// Package chaostest is the crash test: a series of runs of the program on a
// testbed, in which everything is killed, frozen, cut and changed, and an
// observer that shares nothing with the program and tells whether a pod was
// deleted whose evidence is not safe.
//
// What the program meets is decided by one seed: the pods, what goes wrong in
// each run, and what each request of a pod meets, by how often it came. When a
// process dies is decided by the seed too, but where the program is then is not,
// so a series can be repeated only as far as the machine repeats itself.
//
// The observer takes the truth from below: every state of every pod from etcd,
// the logs from the node's files, the bundles from the store. What the program
// says of itself is only compared with that.
package chaostest
