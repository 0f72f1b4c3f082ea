package embedded

import (
	"context"
	"strings"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// groupProvisioners is the group of who holds the provisioner token.
const groupProvisioners = "tablewright:provisioners"

// newAuthenticator knows the two tokens; without one of them nobody gets in.
func newAuthenticator(t tokens) authenticator.Request {
	users := map[string]*user.DefaultInfo{
		t.admin:       {Name: "tablewright-admin", UID: "admin", Groups: []string{user.SystemPrivilegedGroup}},
		t.provisioner: {Name: "tablewright-provisioner", UID: "provisioner", Groups: []string{groupProvisioners}},
	}
	return group.NewAuthenticatedGroupAdder(bearertoken.New(tokenfile.New(users)))
}

// newAuthorizer gives the admin everything and provisioners what their contract
// needs; nobody else is given anything.
func newAuthorizer() authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		for _, g := range a.GetUser().GetGroups() {
			if g == user.SystemPrivilegedGroup || g == groupProvisioners && provisionerMay(a) {
				return authorizer.DecisionAllow, "", nil
			}
		}
		return authorizer.DecisionNoOpinion, "", nil
	})
}

// provisionerMay says what an external provisioner may do: read jobs and write
// their status, and register itself. Not more of a job: spec and finalizers are
// the gateway's.
func provisionerMay(a authorizer.Attributes) bool {
	if !a.IsResourceRequest() {
		return a.IsReadOnly() && isDiscovery(a.GetPath())
	}
	if a.GetAPIGroup() != v1alpha1.Group {
		return false
	}
	sub, verb := a.GetSubresource(), a.GetVerb()
	switch a.GetResource() {
	case v1alpha1.ResourceTableProvisionJobs:
		return sub == "" && a.IsReadOnly() || sub == "status" && mayStatus(verb)
	case v1alpha1.ResourceProvisioners:
		return sub == "" && (a.IsReadOnly() || verb == "create" || verb == "update" || verb == "patch") ||
			sub == "status" && mayStatus(verb)
	}
	return false
}

// isDiscovery says whether a path is one that any client may read: what there is,
// in which form, and whether the server is well. Metrics and debug are not.
func isDiscovery(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "", "api", "apis", "openapi", "version", "healthz", "livez", "readyz":
		return true
	}
	return false
}

// mayStatus includes get: kubectl and patching clients read before they write.
func mayStatus(verb string) bool {
	return verb == "get" || verb == "update" || verb == "patch"
}
