// Package archive writes bundles to an S3-compatible bucket and proves that
// they are there. It knows nothing of Kubernetes: a bundle is named by a
// namespace, a pod, a UID and a resourceVersion, which it takes as text.
//
// # Bundle
//
// A bundle is a tar (PAX), compressed with zstd or gzip, which tar -xf opens:
//
//	pod.json                    the manifest, byte for byte as the API server sent it
//	events.json                 v1 List of the pod's events, oldest first; absent if none
//	owners/<Kind>.<name>.json   the pod's owners, nearest first
//	logs/<container>.log        the log as served, timestamps included
//	logs/<container>.previous.log
//	index.json                  what is in the bundle and how complete it is (Index)
//
// Entries stand in this order, mode 0644, uid and gid 0, modification time the
// pod's finish time. index.json is last: a bundle without it was cut off. The
// same captured input gives the same bytes.
//
// Why tar: everybody can open it without this program.
//
// # Key
//
//	<prefix>/<cluster>/pods/<class>/<namespace>/<pod>/<uid>_<resourceVersion>.tar.zst
//
// The name says what the bundle proves. It is written once (If-None-Match: *)
// and never overwritten: if what is there fails verification, the next try
// takes <uid>_<resourceVersion>_2, and so on, and so does a copy with a later
// date. While logs are still missing, a
// provisional bundle lies under <uid>_<resourceVersion>_nologs. The class is
// the retention (7d, forever), so that lifecycle rules can go by prefix.
//
// # Retention
//
// A bundle is kept until the time it was archived plus its class, rounded up
// to the next midnight UTC. Its tags are retain-until (the date, or never) and
// retention (the class); its metadata has the date too, and where asked an Object
// Lock. Retention counts from the day on which the pod leaves the cluster: a
// bundle that is over a day old then, or would expire while its pod is kept, is
// copied to the next number (Copy). The copy is proven like every bundle.
//
// # Reading back
//
// ReadBundle reads a bundle of any origin to its end and trusts nothing in it:
// names, kinds and sizes of its entries are checked as they pass, and all of them
// against the index, which comes last. Bucket.Read also proves the bytes by the
// SHA-256 in the object's metadata. What was read counts only when there was no
// error at the end.
//
// # Other objects
//
// cluster.json says whose the cluster's name is (Bucket.Claim); below runs/ lie
// the records of the runs (Record).
//
// # What Verify proves
//
// The object has the length and the MD5 (by the ETag that the store computed;
// else the SHA-256, by reading the object back) that were counted while the
// bundle was written; it names this UID and resourceVersion; its retention date
// follows from the time it was archived; its tags, read back, are the right
// ones, and its lock and encryption are as asked, or stricter. What was written into the metadata proves nothing by itself.
package archive
