// Package randomtest makes random worlds for the property test of a run: pods
// of all kinds, a kubelet that knows what every container really wrote, faults
// of both servers, and other people who change pods between any two requests.
// It knows the program only by its requests, and judges it by what it did.
//
// Everything follows from one seed: what a request of a pod meets is decided by
// the seed, the pod, the run and how often the pod has sent that request, not
// by the order in which the requests of different pods arrive.
package randomtest
