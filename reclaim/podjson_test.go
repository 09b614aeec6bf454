package reclaim

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"
)

// A pod of which all is set is decided on alike, whether it was decoded as a whole,
// as in a list, or as far as it is used, as from a GET.
func TestDecodedPodsAreDecidedOnAlike(t *testing.T) {
	random := randfill.NewWithSeed(1).NilChance(0.3).NumElements(1, 3).Funcs(
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawBytes([]byte(`{"f:metadata":{"f:name":{}}}`)) },
		func(at *metav1.Time, c randfill.Continue) { *at = ago(time.Duration(c.Intn(1e6)) * time.Second) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(c.Int63(), resource.DecimalSI)
		},
	)
	policy := Policy{Config: Config{OwnerKinds: List{"*"}}, Classes: classes(t, "7d")}
	for range 500 {
		var made, whole corev1.Pod
		random.Fill(&made)
		made.Status.Phase = corev1.PodFailed
		text, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &whole); err != nil {
			t.Fatal(err)
		}
		used, err := decodePod(text)
		if err != nil {
			t.Fatal(err)
		}
		want, got := policy.Decide(&whole, Namespace{}, NodeUnknown, now), policy.Decide(used, Namespace{}, NodeUnknown, now)
		if want != got || !reflect.DeepEqual(newRef(&whole, want), newRef(used, got)) {
			t.Fatalf("decided %+v, want %+v, of %s", got, want, text)
		}
		if whole.ManagedFields = nil; !reflect.DeepEqual(whole.ObjectMeta, used.ObjectMeta) || !reflect.DeepEqual(whole.Status, used.Status) {
			t.Fatalf("metadata and status differ: %s", text)
		}
	}
}

// What encoding/json takes is taken with the same result, but a name only as the API
// server writes it.
func TestDecodePodTakesAll(t *testing.T) {
	for name, text := range map[string]string{
		"a name twice":     `{"metadata":{"uid":"1","name":"a","name":"b"},"status":{"phase":"Failed","phase":"Succeeded"}}`,
		"not UTF-8":        "{\"metadata\":{\"name\":\"a\"},\"status\":{\"message\":\"\xff\"}}",
		"null":             `{"metadata":{"name":"a","creationTimestamp":null,"labels":null,"managedFields":null},"spec":{"containers":null},"status":{"startTime":null}}`,
		"an unknown field": `{"metadata":{"name":"a","later":{"x":[1]}},"spec":{"later":1},"status":{"later":null}}`,
	} {
		var want corev1.Pod
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		got, err := decodePod([]byte(text))
		if err != nil || !reflect.DeepEqual(got.ObjectMeta, want.ObjectMeta) || !reflect.DeepEqual(got.Status, want.Status) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	got, err := decodePod([]byte(`{"metadata":{"UID":"1"},"spec":{"NodeName":"n"},"status":{"Phase":"Failed"}}`))
	if err != nil || got.UID != "" || got.Spec.NodeName != "" || got.Status.Phase != "" {
		t.Errorf("names in another case: %+v, %v", got, err)
	}
}
