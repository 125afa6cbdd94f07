// Checks what kustomize made: node check.mjs PARITYD TLS_FOLDER FILE...
//
// TLS_FOLDER holds a certificate, a key and an authority as cert-manager names them. Exits 0 only if
// all manifests are right and each of the faults below, put into them, is found.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isKnownToTheClient, readManifests, shapeErrors } from "./manifests.mjs";
import { describe, optionsOf, policyErrors, securityErrors } from "./policy.mjs";

const [parityd, tlsFolder, ...files] = process.argv.slice(2);
const examples = path.join(import.meta.dirname, "../../deploy/kubernetes");
let failures = 0;

function report(name, errors) {
  if (errors.length === 0) return;
  failures += 1;
  for (const error of errors) console.error(`kubernetes: ${name}: ${error}`);
}

// parityd's own opinion of the variables and of the file, with the TLS files where they are here.
function configErrors(manifests) {
  const { environment, configText } = describe(manifests);
  const file = path.join(tlsFolder, "parityd.conf");
  fs.writeFileSync(file, configText);
  const env = { PATH: process.env.PATH };
  for (const [name, value] of Object.entries(environment)) {
    env[name] = value.replace(/^\/etc\/parityd-tls/, tlsFolder);
  }
  delete env.PARITYD_CONFIG;
  const run = spawnSync(parityd, ["--config", file, "--check-config"], { env, encoding: "utf8" });
  return run.status === 0 ? [] : [`parityd refuses its options: ${run.stderr.trim()}`];
}

const allErrors = (manifests) => [...manifests.flatMap(shapeErrors), ...policyErrors(manifests), ...configErrors(manifests)];

const rendered = {};
for (const file of files) rendered[path.basename(file, ".yaml")] = await readManifests(file);
for (const [name, manifests] of Object.entries(rendered)) report(name, allErrors(manifests));

// The examples beside them: right in themselves, and let in by what they are an example for.
const [clientPod] = await readManifests(path.join(examples, "overlays/node-local/client-example.yaml"));
report("client pod", [...shapeErrors(clientPod), ...securityErrors(clientPod.spec, clientPod.spec.containers[0])]);
const allowedGroup = optionsOf(describe(rendered["node-local"]).configText)["allow-gid"];
if (!clientPod.spec.securityContext.supplementalGroups.includes(Number(allowedGroup))) {
  report("client pod", [`not in the group ${allowedGroup} that is allowed`]);
}
const [clientCertificate] = await readManifests(path.join(examples, "components/mtls/client-example.yaml"));
report("client certificate", shapeErrors(clientCertificate));
const allowedName = describe(rendered["pool-mtls"]).environment.PARITYD_TLS_ALLOW;
if (!clientCertificate.spec.uris.some((uri) => uri.startsWith(allowedName.replace(/\*$/, "")))) {
  report("client certificate", [`none of its names is ${allowedName}`]);
}

// Faults: where, what, and who must find it. `pod` and `container` are the workload's.
const byKind = (manifests, kind) => manifests.find((manifest) => manifest.kind === kind);
const everything = "pool-mtls-monitoring-networkpolicy";
const shape = (manifests) => manifests.flatMap(shapeErrors);
const policy = policyErrors;
const config = configErrors;
const inFile = (from, to) => ({ manifests }) => {
  for (const { kind, data } of manifests) if (kind === "ConfigMap") data["parityd.conf"] = data["parityd.conf"].replace(from, to);
};
const faults = [
  ["pool", shape, "a number for a string", ({ container }) => (container.image = 7)],
  ["pool", shape, "a string for a number", ({ container }) => (container.ports[0].containerPort = "7420")],
  ["pool", shape, "a bad quantity", ({ container }) => (container.resources.limits.memory = "4 gigabytes")],
  ["pool", shape, "a required field missing", ({ workload }) => delete workload.spec.selector],
  ["pool", shape, "a required field of the autoscaler missing", ({ manifests }) => delete byKind(manifests, "HorizontalPodAutoscaler").spec.maxReplicas],
  ["pool", shape, "a misspelled field", ({ pod }) => (pod.terminationGracePeriod = 40)],
  ["pool", shape, "a misspelled nested field", ({ container }) => (container.securityContext.readOnlyRootFileSystem = true)],
  ["pool", shape, "a misspelled field of the budget", ({ manifests }) => (byKind(manifests, "PodDisruptionBudget").spec.maxUnavailible = 1)],
  ["node-local", shape, "a strategy of another kind", ({ workload }) => (workload.spec.strategy = { type: "Recreate" })],
  [everything, shape, "a wrong type in the PodMonitor", ({ manifests }) => (byKind(manifests, "PodMonitor").spec.podMetricsEndpoints = "metrics")],
  [everything, shape, "a certificate without a secret", ({ manifests }) => delete byKind(manifests, "Certificate").spec.secretName],
  ["pool", policy, "root", ({ pod }) => delete pod.securityContext.runAsNonRoot],
  ["pool", policy, "no seccomp profile", ({ pod }) => delete pod.securityContext.seccompProfile],
  ["pool", policy, "a capability", ({ container }) => (container.securityContext.capabilities.add = ["SYS_NICE"])],
  ["pool", policy, "a writable root", ({ container }) => (container.securityContext.readOnlyRootFilesystem = false)],
  ["pool", policy, "privilege escalation", ({ container }) => delete container.securityContext.allowPrivilegeEscalation],
  ["pool", policy, "a token", ({ pod }) => delete pod.automountServiceAccountToken],
  ["pool", policy, "no liveness probe", ({ container }) => delete container.livenessProbe],
  ["pool", policy, "a probe of the wrong port", ({ container }) => (container.readinessProbe.grpc.port = 7421)],
  [everything, policy, "a gRPC probe under TLS", ({ container }) => (container.readinessProbe = { grpc: { port: 7420 } })],
  ["pool", policy, "too short a grace period", ({ pod }) => (pod.terminationGracePeriodSeconds = 25)],
  ["pool", policy, "too long a drain", inFile("drain-delay = 15", "drain-delay = 30")],
  ["pool", policy, "an address that does nothing", inFile("log-format", "listen = 0.0.0.0:1\nlog-format")],
  ["pool", policy, "metrics elsewhere", inFile("7421", "7422")],
  ["pool", policy, "a Service for nobody", ({ manifests }) => (byKind(manifests, "Service").spec.selector.tier = "x")],
  ["pool", policy, "a Service of another port", ({ manifests }) => (byKind(manifests, "Service").spec.ports[0].port = 7423)],
  ["pool", policy, "a virtual address", ({ manifests }) => delete byKind(manifests, "Service").spec.clusterIP],
  ["pool", policy, "a budget for nobody", ({ manifests }) => (byKind(manifests, "PodDisruptionBudget").spec.selector.matchLabels.tier = "x")],
  ["pool", policy, "spread of others", ({ pod }) => (pod.topologySpreadConstraints[0].labelSelector.matchLabels.tier = "x")],
  ["pool", policy, "an autoscaler of another", ({ manifests }) => (byKind(manifests, "HorizontalPodAutoscaler").spec.scaleTargetRef.name = "x")],
  ["pool", policy, "replicas beside the autoscaler", ({ workload }) => (workload.spec.replicas = 3)],
  ["pool", policy, "downtime in an update", ({ workload }) => (workload.spec.strategy.rollingUpdate.maxUnavailable = 1)],
  ["pool", policy, "the ConfigMap of another name", ({ manifests }) => (byKind(manifests, "ConfigMap").metadata.name = "x")],
  ["node-local", policy, "half a CPU", ({ container }) => (container.resources.requests.cpu = container.resources.limits.cpu = "3500m")],
  ["node-local", policy, "requests below limits", ({ container }) => (container.resources.requests.memory = "1Gi")],
  ["node-local", policy, "the shared memory of the host", ({ container }) => container.volumeMounts.push({ name: "run", mountPath: "/dev/shm" })],
  ["node-local", policy, "a volume that nobody sees", ({ pod }) => (pod.volumes = pod.volumes.filter(({ hostPath }) => !hostPath))],
  ["node-local", policy, "two servers on one socket", ({ workload }) => (workload.spec.updateStrategy.rollingUpdate.maxSurge = 1)],
  [everything, policy, "a PodMonitor of another port", ({ manifests }) => (byKind(manifests, "PodMonitor").spec.podMetricsEndpoints[0].port = "http")],
  [everything, policy, "a closed port", ({ manifests }) => byKind(manifests, "NetworkPolicy").spec.ingress.pop()],
  [everything, policy, "a secret of another name", ({ manifests }) => (byKind(manifests, "Certificate").spec.secretName = "x")],
  [everything, policy, "files that are never renewed", ({ container }) => (container.volumeMounts.find(({ name }) => name === "tls").subPath = "tls.crt")],
  [everything, policy, "anybody with a certificate", ({ container }) => (container.env = container.env.filter(({ name }) => name !== "PARITYD_TLS_ALLOW"))],
  ["pool", config, "a misspelled option", inFile("max-age", "max-aeg")],
  ["pool", config, "a wrong value", inFile("grace = 10", "grace = soon")],
  ["node-local", config, "a misspelled variable", ({ container }) => container.env.push({ name: "PARITYD_MAX_HELDD", value: "2G" })],
  [everything, config, "a file of TLS that is not there", ({ container }) => (container.env.find(({ name }) => name === "PARITYD_TLS_KEY").value = "/etc/parityd-tls/key.pem")],
];
for (const [where, check, what, put] of faults) {
  const manifests = structuredClone(rendered[where]);
  put({ manifests, ...describe(manifests) });
  if (check(manifests).length === 0) report(where, [`${what} was not found`]);
}

// Every field of every object is looked at, not those of some kinds only.
for (const [name, manifests] of Object.entries(rendered)) {
  for (const manifest of structuredClone(manifests).filter(isKnownToTheClient)) {
    (manifest.spec ?? manifest).notAField = 1;
    if (shapeErrors(manifest).length === 0) report(name, [`${manifest.kind}: a field that is none was not found`]);
  }
}

if (failures > 0) process.exit(1);
console.log(`kubernetes: ${files.length} renderings are right, ${faults.length} faults were found`);
