package archive

import (
	"net/url"
	"time"
)

// dateFormat is the form of retain-until in tags and metadata.
const dateFormat = "2006-01-02"

// retainUntil is the text form of the retention date: the day on which a
// bundle may go, or "never".
func retainUntil(c Class, archived time.Time) string {
	if c.Forever() {
		return "never"
	}
	return c.RetainUntil(archived).Format(dateFormat)
}

// tags are a bundle's two object tags. retain-until is for people and audits;
// retention is for lifecycle rules, which match a tag's value exactly and
// cannot compare dates. The values stay within letters, digits and "-", which
// every store accepts.
func tags(c Class, archived time.Time) map[string]string {
	return map[string]string{
		"retain-until": retainUntil(c, archived),
		"retention":    c.String(),
	}
}

// encodeTags gives the x-amz-tagging header's form of tags.
func encodeTags(tags map[string]string) string {
	values := url.Values{}
	for k, v := range tags {
		values.Set(k, v)
	}
	return values.Encode()
}

// Lapses tells whether the bundle's retention is over within a day, so that it
// does not outlast a pod that is still there.
func (o Object) Lapses(now time.Time) bool {
	return !o.class.Forever() && o.class.RetainUntil(o.ArchivedAt()).Sub(now) < day
}

// Stale tells whether the bundle was archived over a day ago. Retention counts
// from the day on which the pod leaves the cluster, so it does not do for one
// that goes now.
func (o Object) Stale(now time.Time) bool {
	return !o.class.Forever() && now.Sub(o.ArchivedAt()) > day
}
