// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// The roles that are shipped, as config/rbac/role.yaml has them.
const (
	inNamespaces = "ClusterRole manager"
	onCluster    = "ClusterRole webhook-trust"
	atHome       = "Role manager"
)

// right is one verb of one rule, for one resource.
type right struct{ role, verb, resource string }

func (r right) String() string { return r.role + ": " + r.verb + " " + r.resource }

// rules are the rights as rules, by what they are called.
type rules map[right]rbacv1.PolicyRule

// shipped are all rights of the operator.
func shipped(t *testing.T) rules {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "rbac", "role.yaml"))
	must(t, err)
	all := rules{}
	for _, document := range bytes.Split(text, []byte("\n---\n"))[1:] {
		var role rbacv1.ClusterRole // a Role looks the same
		must(t, yaml.Unmarshal(document, &role))
		for _, rule := range role.Rules {
			all.add(t, role.Kind+" "+role.Name, rule)
		}
	}
	return all
}

func (r rules) add(t *testing.T, role string, rule rbacv1.PolicyRule) {
	t.Helper()
	if len(rule.APIGroups) != 1 || len(rule.ResourceNames) > 1 || len(rule.NonResourceURLs) > 0 {
		t.Fatalf("%s has a rule that this test can't take apart: %v", role, rule)
	}
	for _, resource := range rule.Resources {
		for _, verb := range rule.Verbs {
			name := resource
			if rule.APIGroups[0] != "" {
				name += "." + rule.APIGroups[0]
			}
			one := rbacv1.PolicyRule{APIGroups: rule.APIGroups, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: rule.ResourceNames}
			for _, object := range rule.ResourceNames {
				name += " " + object
			}
			r[right{role, verb, name}] = one
		}
	}
}

// of are the rules of a role, without one right.
func (r rules) of(role string, without right) []rbacv1.PolicyRule {
	// So that it can be told when the role is in force.
	of := []rbacv1.PolicyRule{{APIGroups: []string{"test"}, Resources: []string{"roles"}, Verbs: []string{"see"}}}
	for name, rule := range r {
		if name.role == role && name != without {
			of = append(of, rule)
		}
	}
	return of
}

// grant gives the operator its roles without one right, as config/namespaced does.
func (o *operator) grant(t *testing.T, shipped rules, without right) {
	t.Helper()
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: o.home, Name: o.account}}
	bind := func(namespace, role string) {
		meta := metav1.ObjectMeta{Namespace: namespace, Name: "operator"}
		must(t, cluster.Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: shipped.of(role, without)}))
		must(t, cluster.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		}))
	}
	bind(o.home, atHome)
	for _, namespace := range o.tenants {
		bind(namespace, inNamespaces)
	}
	trust := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: o.home}, Rules: shipped.of(onCluster, without)}
	must(t, cluster.Create(t.Context(), trust))
	must(t, cluster.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: o.home}, Subjects: subjects,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: trust.Name},
	}))
	for _, namespace := range append([]string{o.home, metav1.NamespaceAll}, o.tenants...) {
		eventually(t, "the roles are in force", func() bool {
			return o.may(t, "test", "see", "roles", namespace, "")
		})
	}
}
