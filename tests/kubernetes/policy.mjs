// What we ask of our own manifests, beyond their shape.

const kConfigFolder = "/etc/parityd";

export function workloadOf(manifests) {
  return manifests.find(({ kind }) => kind === "Deployment" || kind === "DaemonSet");
}

export function optionsOf(configText) {
  const lines = configText.split("\n").filter((line) => line.includes("=") && !/^\s*#/.test(line));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2).map((part) => part.trim())));
}

function matches(selector, labels) {
  return Object.entries(selector ?? {}).every(([key, value]) => labels?.[key] === value);
}

// Of any pod, the clients' too.
export function securityErrors(pod, container) {
  const errors = [];
  const want = (holds, text) => holds || errors.push(text);
  want(pod.automountServiceAccountToken === false, "automountServiceAccountToken: want false");
  want(pod.securityContext?.runAsNonRoot === true, "runAsNonRoot: want true");
  want(pod.securityContext?.runAsUser > 0, "runAsUser: want one that is not root");
  want(pod.securityContext?.seccompProfile?.type === "RuntimeDefault", "seccompProfile: want RuntimeDefault");
  for (const key of ["hostIPC", "hostPID", "hostNetwork"]) want(!pod[key], `${key}: want none`);
  const rights = container.securityContext ?? {};
  want(rights.allowPrivilegeEscalation === false, "allowPrivilegeEscalation: want false");
  want(rights.readOnlyRootFilesystem === true, "readOnlyRootFilesystem: want true");
  want(!rights.privileged, "privileged: want false");
  want(rights.capabilities?.drop?.includes("ALL") && !rights.capabilities.add, "capabilities: want drop ALL alone");
  const shm = container.volumeMounts?.some(({ mountPath }) => mountPath.startsWith("/dev/shm"));
  want(!shm, "/dev/shm: want none mounted");
  for (const { name } of container.volumeMounts ?? []) {
    want(pod.volumes?.some((volume) => volume.name === name), `volumeMounts: no volume ${name}`);
  }
  return errors;
}

function probeErrors(container, listensOnTcp, hasTls) {
  const errors = [];
  const byGrpc = listensOnTcp && !hasTls; // the kubelet has no client certificate and knows no Unix socket
  const paths = { startupProbe: "/readyz", readinessProbe: "/readyz", livenessProbe: "/healthz" };
  for (const [name, path] of Object.entries(paths)) {
    const probe = container[name] ?? {};
    const ways = ["grpc", "httpGet", "exec", "tcpSocket"].filter((way) => probe[way]);
    const right = byGrpc
      ? probe.grpc?.port === 7420
      : probe.httpGet?.path === path && probe.httpGet.port === "metrics";
    if (ways.length !== 1 || !right) errors.push(`${name}: want ${byGrpc ? "grpc on 7420" : `${path} on metrics`}`);
  }
  return errors;
}

function portErrors(manifests, pod, container, environment, options, labels) {
  const errors = [];
  const listens = (environment.PARITYD_LISTEN ?? "").split(",");
  const ports = Object.fromEntries((container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]));
  const tcp = listens.find((address) => !address.startsWith("unix:"))?.split(":").at(-1);
  if (String(ports.grpc) !== String(tcp)) errors.push(`ports: grpc is ${ports.grpc}, it listens on ${tcp}`);
  const metrics = options.metrics?.split(":").at(-1);
  if (String(ports.metrics) !== metrics) errors.push(`ports: metrics is ${ports.metrics}, the file says ${metrics}`);
  if ("listen" in options) errors.push("parityd.conf: listen does nothing, the environment goes before it");
  const socket = listens.find((address) => address.startsWith("unix:"))?.slice("unix:".length);
  if (!container.volumeMounts.some(({ mountPath }) => socket?.startsWith(`${mountPath}/`))) {
    errors.push(`volumeMounts: none for the socket ${socket}`);
  }
  for (const { kind, spec } of manifests) {
    if (kind === "Service") {
      if (spec.clusterIP !== "None") errors.push("Service: want a headless one");
      for (const { port, targetPort } of spec.ports) {
        if (ports[targetPort] !== port) errors.push(`Service: port ${port} to ${targetPort}, which is ${ports[targetPort]}`);
      }
    } else if (kind === "PodMonitor") {
      for (const { port } of spec.podMetricsEndpoints) {
        if (!(port in ports)) errors.push(`PodMonitor: no port ${port}`);
      }
    } else if (kind === "NetworkPolicy") {
      const open = spec.ingress.flatMap((rule) => rule.ports.map(({ port }) => port));
      for (const port of Object.values(ports)) {
        if (!open.includes(port)) errors.push(`NetworkPolicy: nobody may reach port ${port}`);
      }
    }
    const selector = { Service: spec?.selector, NetworkPolicy: spec?.podSelector?.matchLabels }[kind] ??
      (["PodDisruptionBudget", "PodMonitor", "Deployment", "DaemonSet"].includes(kind) ? spec.selector.matchLabels : {});
    if (!matches(selector, labels)) errors.push(`${kind}: its selector does not match the pods`);
  }
  const spread = (pod.topologySpreadConstraints ?? []).map(({ labelSelector }) => labelSelector);
  const apart = pod.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const selector of [...spread, ...apart.map(({ podAffinityTerm }) => podAffinityTerm.labelSelector)]) {
    if (!matches(selector.matchLabels, labels)) errors.push("spread or anti-affinity: does not match the pods");
  }
  return errors;
}

function kindErrors(manifests, workload, pod, container) {
  const errors = [];
  const want = (holds, text) => holds || errors.push(text);
  const { requests = {}, limits = {} } = container.resources ?? {};
  want(limits.memory, "limits.memory: want one, max-held comes from it");
  want(/^[1-9]\d*$/.test(limits.cpu ?? ""), "limits.cpu: want whole CPUs");
  if (workload.kind === "DaemonSet") {
    for (const name of ["cpu", "memory"]) {
      want(limits[name] && requests[name] === limits[name], `resources: want Guaranteed, ${name} differs`);
    }
    want(pod.volumes.some(({ hostPath }) => hostPath?.path === "/run/parityd"), "volumes: want the node's /run/parityd");
    want(workload.spec.updateStrategy.rollingUpdate.maxSurge === 0, "maxSurge: want 0, two would share a socket");
    return errors;
  }
  want(!pod.volumes.some(({ hostPath }) => hostPath), "hostPath: want none");
  want(workload.spec.strategy.rollingUpdate.maxUnavailable === 0, "maxUnavailable: want 0");
  want(!("replicas" in workload.spec), "replicas: want none, the autoscaler says");
  const scaler = manifests.find(({ kind }) => kind === "HorizontalPodAutoscaler")?.spec;
  const target = scaler?.scaleTargetRef;
  want(target?.kind === workload.kind && target.name === workload.metadata.name, "autoscaler: want this Deployment");
  const asked = scaler?.metrics.map(({ resource, pods }) => resource?.name ?? pods.metric.name).join();
  want(asked === "cpu,parityd_held_bytes", `autoscaler: want cpu and parityd_held_bytes, got ${asked}`);
  want(requests.cpu, "requests.cpu: want one, the autoscaler's percentage is of it");
  const budget = manifests.find(({ kind }) => kind === "PodDisruptionBudget")?.spec;
  want(budget?.maxUnavailable < scaler?.minReplicas, "PodDisruptionBudget: want less than minReplicas");
  const keys = (pod.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey).sort().join();
  want(keys === "kubernetes.io/hostname,topology.kubernetes.io/zone", `spread: want zones and hosts, got ${keys}`);
  return errors;
}

function tlsErrors(manifests, pod, container, environment) {
  const certificate = manifests.find(({ kind }) => kind === "Certificate");
  const files = ["CERTIFICATE", "KEY", "CLIENT_CA"].map((name) => environment[`PARITYD_TLS_${name}`]);
  if (!certificate) return files.some(Boolean) ? ["TLS files without a Certificate"] : [];
  const errors = [];
  const volume = pod.volumes.find(({ secret }) => secret?.secretName === certificate.spec.secretName);
  const mount = container.volumeMounts.find(({ name }) => name === volume?.name);
  if (!mount) return ["the Certificate's secret is not mounted"];
  if (mount.subPath) errors.push("subPath: such a file is never renewed");
  const want = ["tls.crt", "tls.key", "ca.crt"].map((file) => `${mount.mountPath}/${file}`).join();
  if (files.join() !== want) errors.push(`TLS files: got ${files}, want ${want}`);
  if (!environment.PARITYD_TLS_ALLOW) errors.push("PARITYD_TLS_ALLOW: want one");
  const service = manifests.find(({ kind }) => kind === "Service").metadata;
  if (!certificate.spec.dnsNames.includes(`${service.name}.${service.namespace}.svc.cluster.local`)) {
    errors.push("Certificate: not for the name of the Service");
  }
  return errors;
}

// What the manifests say of the one parityd among them.
export function describe(manifests) {
  const workload = workloadOf(manifests);
  const { metadata, spec: pod } = workload.spec.template;
  const container = pod.containers[0];
  const environment = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
  const config = pod.volumes.find(({ configMap }) => configMap)?.configMap;
  const map = manifests.find(({ kind, metadata: { name } }) => kind === "ConfigMap" && name === config?.name);
  return { workload, pod, container, environment, labels: metadata.labels, configText: map?.data["parityd.conf"] };
}

export function policyErrors(manifests) {
  const { workload, pod, container, environment, labels, configText } = describe(manifests);
  if (configText === undefined) return ["no ConfigMap with parityd.conf is mounted"];
  const errors = securityErrors(pod, container);
  const options = optionsOf(configText);
  if (pod.containers.length !== 1 || pod.initContainers) errors.push("containers: want one alone");
  if (container.image !== "parityd:0.1.0") errors.push(`image: got ${container.image}`);
  if (pod.securityContext.runAsUser !== 10001) errors.push("runAsUser: want 10001, the image's");
  if (pod.enableServiceLinks !== false) errors.push("enableServiceLinks: want false");
  const account = manifests.find(({ kind }) => kind === "ServiceAccount");
  if (account?.metadata.name !== pod.serviceAccountName || account.automountServiceAccountToken !== false) {
    errors.push("ServiceAccount: want the pod's, without a token");
  }
  if (environment.PARITYD_CONFIG !== `${kConfigFolder}/parityd.conf`) errors.push("PARITYD_CONFIG: not the file mounted");
  if (!container.volumeMounts.some(({ mountPath }) => mountPath === kConfigFolder)) errors.push("config: not mounted");
  const needed = Number(options["drain-delay"] ?? 0) + Number(options.grace ?? 10);
  if (!(pod.terminationGracePeriodSeconds > needed)) {
    errors.push(`terminationGracePeriodSeconds: got ${pod.terminationGracePeriodSeconds}, want more than ${needed}`);
  }
  const namespaces = new Set(manifests.map((manifest) => manifest.metadata.namespace));
  if (namespaces.size !== 1 || namespaces.has(undefined)) errors.push(`namespace: want one, got ${[...namespaces]}`);
  const listensOnTcp = (environment.PARITYD_LISTEN ?? "").split(",").some((address) => !address.startsWith("unix:"));
  return [
    ...errors,
    ...probeErrors(container, listensOnTcp, "PARITYD_TLS_KEY" in environment),
    ...portErrors(manifests, pod, container, environment, options, labels),
    ...kindErrors(manifests, workload, pod, container),
    ...tlsErrors(manifests, pod, container, environment),
  ];
}
