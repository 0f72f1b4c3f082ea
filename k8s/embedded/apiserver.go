package embedded

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	noopoteltrace "go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const (
	// apiStopMax is how long connections have to end when the server is to end.
	apiStopMax = 5 * time.Second
	// watchStopMax is how long open watches have to be told so. Without it they
	// are not told at all and keep their connections until apiStopMax.
	watchStopMax = time.Second
)

// apiServer is the API server of CustomResourceDefinitions.
type apiServer struct {
	*apiserver.CustomResourceDefinitions
	// loopback is how this process itself reaches it, with all rights.
	loopback *rest.Config
}

// newAPIServer builds the server; run starts it.
func newAPIServer(endpoint string, ln net.Listener, cert servingCert, t tokens) (*apiServer, error) {
	o := options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	ro := o.RecommendedOptions
	ro.Etcd.StorageConfig.Transport.ServerList = []string{endpoint}
	ro.SecureServing.Listener = ln
	ro.SecureServing.BindAddress = net.ParseIP(loopbackHost)
	ro.SecureServing.BindPort = portOf(ln)
	ro.SecureServing.ServerCert.CertKey = genericoptions.CertKey{CertFile: cert.certFile, KeyFile: cert.keyFile}
	if err := o.Complete(); err != nil {
		return nil, fmt.Errorf("options of the API server: %w", err)
	}

	cfg := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	if err := o.ServerRunOptions.ApplyTo(&cfg.Config); err != nil {
		return nil, fmt.Errorf("run options of the API server: %w", err)
	}
	if err := ro.Etcd.ApplyTo(&cfg.Config); err != nil {
		return nil, fmt.Errorf("storage of the API server: %w", err)
	}
	if err := ro.SecureServing.ApplyTo(&cfg.SecureServing, &cfg.LoopbackClientConfig); err != nil {
		return nil, fmt.Errorf("serving of the API server: %w", err)
	}
	if err := o.APIEnablement.ApplyTo(&cfg.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return nil, fmt.Errorf("resources of the API server: %w", err)
	}
	setOpenAPI(cfg)
	cfg.EnableProfiling = false
	cfg.ShutdownWatchTerminationGracePeriod = watchStopMax
	cfg.Authentication.Authenticator = newAuthenticator(t)
	cfg.Authorization.Authorizer = newAuthorizer()

	extra := apiserver.ExtraConfig{
		CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(*ro.Etcd, cfg.ResourceTransformers, cfg.StorageObjectCountTracker),
		ServiceResolver:      webhook.NewDefaultServiceResolver(),
		AuthResolverWrapper: webhook.NewDefaultAuthenticationInfoResolverWrapper(
			nil, nil, cfg.LoopbackClientConfig, noopoteltrace.NewTracerProvider()),
	}
	return completeAPIServer(cfg, extra)
}

// setOpenAPI sets both versions: the CRD's own OpenAPI, which kubectl needs to
// explain and to apply, is only served when version 2 is configured too.
func setOpenAPI(cfg *genericapiserver.RecommendedConfig) {
	defs := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme)
	cfg.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(defs, namer)
	cfg.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(defs, namer)
}

func completeAPIServer(cfg *genericapiserver.RecommendedConfig, extra apiserver.ExtraConfig) (*apiServer, error) {
	complete := (&apiserver.Config{GenericConfig: cfg, ExtraConfig: extra}).Complete()
	// Complete switches it off, since it expects an aggregator in front: without
	// it /apis is 404 and kubectl finds nothing.
	complete.GenericConfig.EnableDiscovery = true
	s, err := complete.New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("make the API server: %w", err)
	}
	s.GenericAPIServer.ShutdownTimeout = apiStopMax
	if err := serveDiscoveryGroups(s); err != nil {
		return nil, err
	}
	return &apiServer{CustomResourceDefinitions: s, loopback: cfg.LoopbackClientConfig}, nil
}

// run serves until ctx ends. The channel yields how it ended, once.
func (s *apiServer) run(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	prepared := s.GenericAPIServer.PrepareRun()
	go func() { ended <- prepared.RunWithContext(ctx) }()
	return ended
}
