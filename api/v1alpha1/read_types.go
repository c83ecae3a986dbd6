// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// What the two kinds that read from an API share.

// DefaultReadTimeout is the timeout of a read whose spec sets none.
const DefaultReadTimeout = "2m"

// Reasons of the conditions of a read.
const (
	// ReasonNotFound says that there is no such document, file or workspace.
	ReasonNotFound = "NotFound"
	// ReasonPermissionDenied says that the identity may not read it.
	ReasonPermissionDenied = "PermissionDenied"
	// ReasonAPIDisabled says that the API is not enabled in the project; the message names both.
	ReasonAPIDisabled = "ApiDisabled"
	// ReasonUnauthenticated says that the credentials are missing, malformed or no longer valid.
	ReasonUnauthenticated = "Unauthenticated"
	// ReasonRateLimited says that the quota is used up.
	ReasonRateLimited = "RateLimited"
	// ReasonUnavailable says that the API can't be reached, or failed as often as it was tried.
	ReasonUnavailable = "Unavailable"
	// ReasonInvalidArgument says that the API does not take the request as it is.
	ReasonInvalidArgument = "InvalidArgument"
)

// ReadError is why something could not be read.
type ReadError struct {
	// reason is the class of the error: NotFound, PermissionDenied, RateLimited, ...
	// +required
	Reason string `json:"reason"`

	// message says in words what went wrong, and what to do about it.
	// +required
	Message string `json:"message"`
}
