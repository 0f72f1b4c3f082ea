package embedded

import (
	"fmt"
	"net"
	"net/url"
	"strconv"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

// kubeconfigName names the cluster, the user and the context in a kubeconfig.
const kubeconfigName = "tablewright"

// apiURL is the address of the API server on a loopback port.
func apiURL(port int) string {
	u := url.URL{Scheme: "https", Host: net.JoinHostPort(loopbackHost, strconv.Itoa(port))}
	return u.String()
}

// writeKubeconfig writes, at once and owner-only, what kubectl needs.
func writeKubeconfig(path, server, token string, ca []byte) error {
	c := clientcmdapi.NewConfig()
	c.Clusters[kubeconfigName] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	c.AuthInfos[kubeconfigName] = &clientcmdapi.AuthInfo{Token: token}
	c.Contexts[kubeconfigName] = &clientcmdapi.Context{Cluster: kubeconfigName, AuthInfo: kubeconfigName, Namespace: "default"}
	c.CurrentContext = kubeconfigName
	text, err := clientcmd.Write(*c)
	if err != nil {
		return fmt.Errorf("make kubeconfig: %w", err)
	}
	if err := ownerfile.Write(path, text); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	return nil
}

// restConfig is a client configuration with the same content as a kubeconfig. It
// does not throttle: the server is this process.
func restConfig(server, token string, ca []byte) *rest.Config {
	return &rest.Config{
		Host:            server,
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca},
		QPS:             -1,
	}
}
