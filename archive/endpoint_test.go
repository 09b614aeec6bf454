package archive

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
)

// countedRules are the SDK's; they count how often they are asked.
type countedRules struct {
	s3.EndpointResolverV2
	asked int
}

func (c *countedRules) ResolveEndpoint(ctx context.Context, p s3.EndpointParameters) (smithyendpoints.Endpoint, error) {
	c.asked++
	return c.EndpointResolverV2.ResolveEndpoint(ctx, p)
}

// Every request goes where the SDK's rules say, whatever was asked before and
// whatever the SDK did with earlier answers; each question is put once.
func TestEndpoints(t *testing.T) {
	aBucket := func(changes ...func(*s3.EndpointParameters)) s3.EndpointParameters {
		p := s3.EndpointParameters{Bucket: aws.String("pods"), Region: aws.String("eu-central-1"), UseFIPS: aws.Bool(false), UseDualStack: aws.Bool(false)}
		for _, change := range changes {
			change(&p)
		}
		return p
	}
	questions := []s3.EndpointParameters{
		aBucket(),
		aBucket(func(p *s3.EndpointParameters) { p.Region = aws.String("us-east-1") }),
		aBucket(func(p *s3.EndpointParameters) { p.Bucket = aws.String("pods.example.org") }),
		aBucket(func(p *s3.EndpointParameters) { p.UseDualStack = aws.Bool(true) }),
		aBucket(func(p *s3.EndpointParameters) { p.UseFIPS = aws.Bool(true) }),
		aBucket(func(p *s3.EndpointParameters) { p.Accelerate = aws.Bool(true) }),
		aBucket(func(p *s3.EndpointParameters) { p.ForcePathStyle = aws.Bool(true) }),
		aBucket(func(p *s3.EndpointParameters) { p.Endpoint = aws.String("https://store.example.org:9000/s3") }),
		aBucket(func(p *s3.EndpointParameters) {
			p.Endpoint, p.ForcePathStyle = aws.String("http://127.0.0.1:7070"), aws.Bool(true)
		}),
		aBucket(func(p *s3.EndpointParameters) { p.Bucket = aws.String("pods--euc1-az1--x-s3") }),
		aBucket(func(p *s3.EndpointParameters) {
			p.Bucket, p.DisableS3ExpressSessionAuth = aws.String("pods--euc1-az1--x-s3"), aws.Bool(true)
		}),
		aBucket(func(p *s3.EndpointParameters) {
			p.Bucket, p.UseS3ExpressControlEndpoint = aws.String("pods--euc1-az1--x-s3"), aws.Bool(true)
		}),
		aBucket(func(p *s3.EndpointParameters) {
			p.Bucket = aws.String("arn:aws:s3:eu-central-1:123456789012:accesspoint/pods")
		}),
		aBucket(func(p *s3.EndpointParameters) {
			p.Bucket, p.UseArnRegion = aws.String("arn:aws:s3:us-east-1:123456789012:accesspoint/pods"), aws.Bool(false)
		}),
		aBucket(func(p *s3.EndpointParameters) {
			p.Bucket = aws.String("arn:aws:s3::123456789012:accesspoint/pods.mrap")
		}),
		aBucket(func(p *s3.EndpointParameters) { p.Bucket = nil }),
		aBucket(func(p *s3.EndpointParameters) { p.Region = nil }), // an error, which is not remembered
	}
	rules := &countedRules{EndpointResolverV2: s3.NewDefaultEndpointResolverV2()}
	cached := &endpoints{rules: rules}
	bad := 0
	for round := range 3 {
		for _, q := range questions {
			// what a request tells of its object, which the rules do not look at
			q.Key, q.Prefix, q.CopySource = aws.String(fmt.Sprint("pods/", round)), aws.String("pods/"), aws.String("pods/other")
			want, wantErr := s3.NewDefaultEndpointResolverV2().ResolveEndpoint(t.Context(), q)
			got, err := cached.ResolveEndpoint(t.Context(), q)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
				t.Errorf("round %d: %+v, %v; the rules say %+v, %v", round, got, err, want, wantErr)
			}
			if err != nil {
				bad++
			}
			spoil(got)
		}
	}
	if bad == 0 || bad == 3*len(questions) {
		t.Errorf("%d of %d questions are errors", bad, 3*len(questions))
	}
	if want := len(questions) + bad*2/3; rules.asked != want {
		t.Errorf("the rules were asked %d times, want %d", rules.asked, want)
	}
}

// spoil changes an answer in all ways in which the SDK does, and more.
func spoil(e smithyendpoints.Endpoint) {
	for name := range e.Headers {
		e.Headers.Set(name, "spoiled")
	}
	e.Properties.Set("backend", "spoiled")
	options, _ := auth.GetAuthOptions(&e.Properties)
	for i, o := range options {
		for name := range o.SignerProperties.Values() {
			o.SignerProperties.Set(name, "spoiled")
		}
		o.IdentityProperties.Set("spoiled", "spoiled")
		o.SchemeID = "spoiled"
		options[i] = nil
	}
}

// A new parameter of the SDK's rules is a part of the question, or known as one that
// they do not look at.
func TestEndpointQuestion(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[s3.EndpointParameters]()) {
		var p s3.EndpointParameters
		reflect.ValueOf(&p).Elem().FieldByIndex(field.Index).Set(reflect.New(field.Type.Elem()))
		ofObject := slices.Contains([]string{"Key", "Prefix", "CopySource"}, field.Name)
		if unseen := asked(p) == asked(s3.EndpointParameters{}); unseen != ofObject {
			t.Errorf("%s: unseen %v, want %v", field.Name, unseen, ofObject)
		}
	}
}
