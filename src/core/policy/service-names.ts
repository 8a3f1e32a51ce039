/**
 * Finds all names of a service, for rules that forbid. For kubectl, `po`, `pod`, `pods` and `pods.v1.` mean the same kind of object. For
 * systemctl, `nginx` and `nginx.service` mean the same unit. A custom kind may have any short name, so all custom kinds count as one kind.
 */
import { matchesStars, readStars } from '../scope/stars.ts';
import type { ResourceName } from './deny-resource.ts';

/** The kinds of objects that each Kubernetes cluster has: plural, singular and short names, as `kubectl api-resources` prints them. */
const KINDS: readonly (readonly string[])[] = `pods pod po
  services service svc
  deployments deployment deploy
  replicasets replicaset rs
  replicationcontrollers replicationcontroller rc
  statefulsets statefulset sts
  daemonsets daemonset ds
  jobs job
  cronjobs cronjob cj
  horizontalpodautoscalers horizontalpodautoscaler hpa
  secrets secret
  configmaps configmap cm
  namespaces namespace ns
  nodes node no
  events event ev
  endpoints endpoint ep
  endpointslices endpointslice
  limitranges limitrange limits
  persistentvolumeclaims persistentvolumeclaim pvc
  persistentvolumes persistentvolume pv
  podtemplates podtemplate
  resourcequotas resourcequota quota
  serviceaccounts serviceaccount sa
  componentstatuses componentstatus cs
  bindings binding
  ingresses ingress ing
  ingressclasses ingressclass
  networkpolicies networkpolicy netpol
  poddisruptionbudgets poddisruptionbudget pdb
  priorityclasses priorityclass pc
  storageclasses storageclass sc
  volumeattachments volumeattachment
  csidrivers csidriver
  csinodes csinode
  csistoragecapacities csistoragecapacity
  roles role
  rolebindings rolebinding
  clusterroles clusterrole
  clusterrolebindings clusterrolebinding
  controllerrevisions controllerrevision
  customresourcedefinitions customresourcedefinition crd crds
  apiservices apiservice
  leases lease
  runtimeclasses runtimeclass
  certificatesigningrequests certificatesigningrequest csr
  mutatingwebhookconfigurations mutatingwebhookconfiguration
  validatingwebhookconfigurations validatingwebhookconfiguration
  validatingadmissionpolicies validatingadmissionpolicy
  validatingadmissionpolicybindings validatingadmissionpolicybinding
  flowschemas flowschema
  prioritylevelconfigurations prioritylevelconfiguration`
  .split('\n')
  .map((line) => line.trim().split(' '));

/** The kinds above `secrets` in `KINDS`. `kubectl get all` shows these kinds, and custom kinds. */
const OF_ALL = KINDS.slice(0, 10).flat();
const BY_NAME: ReadonlyMap<string, readonly string[]> = new Map(
  KINDS.flatMap((names) => names.map((name) => [name, names])),
);
/** Our name for every custom kind. */
const CUSTOM = '(custom)';

/** Matches the name of a kind before an optional version and group: `pods`, `deployments.apps`, `deployments.v1.apps`. */
const KIND = /^[a-z][a-z0-9-]*(?=\.[a-z0-9.-]*$|$)/;

/** Returns all names of the kind; null if the text is no kind. */
function namesOfKind(kind: string): readonly string[] | null {
  const base = KIND.exec(kind)?.[0];
  return base === undefined ? null : (BY_NAME.get(base) ?? [CUSTOM]);
}

const exactly = (value: string): ResourceName => ({ value, isExact: true });
const beginningWith = (value: string): ResourceName => ({ value, isExact: false });

/**
 * Returns the names of a service or of an object in a cluster. A rule is compared with each of these names. `pods` means every pod. An
 * object also has the name of its kind, so that a rule about a kind forbids each object of this kind.
 * @param mayBeKind whether a name without `/` may be a custom kind. The name of a custom kind means every object of this kind
 */
export function namesOfService({ value, isExact }: ResourceName, mayBeKind: boolean): readonly ResourceName[] {
  const text = value.toLowerCase();
  const written = [
    { value, isExact },
    { value: text, isExact },
  ];
  const slash = text.indexOf('/');
  if (slash >= 0) {
    const names = namesOfKind(text.slice(0, slash)) ?? [];
    const rest = text.slice(slash + 1);
    const kinds = [text.slice(0, slash), ...names].map(exactly);
    return [...written, ...names.map((name) => ({ value: `${name}/${rest}`, isExact })), ...kinds];
  }
  if (!isExact) {
    const begun = [...BY_NAME].flatMap(([name, names]) => (name.startsWith(text) ? names : []));
    return [...written, ...begun.map(beginningWith), beginningWith(`${CUSTOM}/`)];
  }
  // systemctl expands a pattern to the names of units.
  const glob = text.search(/[*?[]/);
  if (glob >= 0) return [...written, beginningWith(text.slice(0, glob))];
  const kind = KIND.exec(text)?.[0] ?? '';
  const names = kind === 'all' ? [...OF_ALL, CUSTOM] : (BY_NAME.get(kind) ?? [text, ...(mayBeKind ? [CUSTOM] : [])]);
  const units = text.endsWith('.service') ? [text.slice(0, -'.service'.length)] : [`${text}.service`];
  return [...written, ...names.map(exactly), ...names.map((name) => beginningWith(`${name}/`)), ...units.map(exactly)];
}

/** Matches the name of a unit of systemd with its type. No kind has such a name. */
const UNIT = /\.(?:service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/;

/**
 * Returns the spellings of a rule's value: as written, in lower case, and with the plural name of the kind, without version and group. A
 * custom kind becomes `CUSTOM`. A glob becomes `CUSTOM` too, unless it matches one of the kinds that each cluster has.
 */
export function servicesWanted(wanted: string): readonly string[] {
  const text = wanted.toLowerCase();
  const [kind = '', ...rest] = text.split('/');
  if (UNIT.test(text)) return [wanted, text];
  const name = kind.includes('*') ? customName(kind) : namesOfKind(kind)?.[0];
  return name === undefined ? [wanted, text] : [wanted, text, [name, ...rest].join('/')];
}

function customName(glob: string): string | undefined {
  const stars = readStars(glob);
  return [...BY_NAME.keys()].some((name) => matchesStars(stars, name)) ? undefined : CUSTOM;
}
