package reclaim

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

// raw is the body of an answer, byte for byte. Its error is the Status that the
// API server sent, with all that it says; Result.Raw alone would leave that
// undecoded.
func raw(result rest.Result) ([]byte, error) {
	body, err := result.Raw()
	if err != nil {
		return nil, result.Error()
	}
	return body, nil
}

// notFound tells whether the API server says that there is no such object. A
// 404 without a Status comes from something between us and it.
func notFound(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err)
}
