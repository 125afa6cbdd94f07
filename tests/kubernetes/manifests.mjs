// Whether manifests have the shape that their kinds ask for.
//
// Two sources, as neither sees everything: the schemas of kubernetes-models (types, required fields,
// quantities; they accept unknown names in places) and the field lists of @kubernetes/client-node
// (unknown names; it has none for custom resources).
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { loadAll } from "js-yaml";

const require = createRequire(import.meta.url);
const clientTypes = await import(
  path.join(path.dirname(require.resolve("@kubernetes/client-node")), "gen/models/all.js")
);

const modelPackages = {
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
  "cert-manager.io": "@kubernetes-models/cert-manager",
};
const scalars = ["string", "number", "boolean"];

const models = new Map();

const kindOf = ({ apiVersion, kind }) => `${apiVersion}/${kind}`;

async function loadModel(manifest) {
  const group = manifest.apiVersion.split("/")[0];
  const module = await import(`${modelPackages[group] ?? "kubernetes-models"}/${kindOf(manifest)}`);
  models.set(kindOf(manifest), module[manifest.kind]);
}

// Throws for a kind that there is no schema for.
export async function readManifests(file) {
  const manifests = loadAll(fs.readFileSync(file, "utf8")).filter(Boolean);
  for (const manifest of manifests) {
    if (!models.has(kindOf(manifest))) await loadModel(manifest);
  }
  return manifests;
}

function schemaErrors(manifest) {
  try {
    new (models.get(kindOf(manifest)))(manifest).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}

function fieldErrors(typeName, value, where) {
  if (value === null || value === undefined) return [];
  const list = /^Array<(.*)>$/.exec(typeName);
  if (list) {
    if (!Array.isArray(value)) return [`${where}: want a list`];
    return value.flatMap((entry, i) => fieldErrors(list[1], entry, `${where}[${i}]`));
  }
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(typeName);
  if (map) {
    if (typeof value !== "object" || Array.isArray(value)) return [`${where}: want a map`];
    return Object.entries(value).flatMap(([key, entry]) => fieldErrors(map[1], entry, `${where}.${key}`));
  }
  if (scalars.includes(typeName)) {
    return typeof value === typeName ? [] : [`${where}: want a ${typeName}, got a ${typeof value}`];
  }
  const fields = clientTypes[typeName]?.attributeTypeMap;
  if (!fields) return []; // IntOrString, Quantity, Date: the schema's business
  return Object.entries(value).flatMap(([key, entry]) => {
    const field = fields.find((known) => known.baseName === key);
    return field ? fieldErrors(field.type, entry, `${where}.${key}`) : [`${where}.${key}: unknown field`];
  });
}

function unknownFieldErrors(manifest) {
  const version = manifest.apiVersion.split("/").at(-1);
  const typeName = version[0].toUpperCase() + version.slice(1) + manifest.kind;
  return fieldErrors(typeName, manifest, manifest.kind);
}

export function shapeErrors(manifest) {
  const name = `${manifest.kind} ${manifest.metadata?.name}`;
  return [...schemaErrors(manifest), ...unknownFieldErrors(manifest)].map((text) => `${name}: ${text}`);
}

export function isKnownToTheClient(manifest) {
  return !(manifest.apiVersion.split("/")[0] in modelPackages);
}
