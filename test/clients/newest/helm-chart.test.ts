/**
 * The Helm chart, rendered by Helm for each kind of installation. Every document is checked against the schemas of Kubernetes
 * that the package kubernetes-validate carries, and a ServiceMonitor against that of the newest Prometheus operator.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { diskFolder } from '../../support/disk-folder.ts'
import { absenceOf } from '../run-client.ts'
import { absenceOfRegistry, execute, timeoutMs } from './installers.ts'

const chart = join(import.meta.dirname, '../../../deploy/helm')
/** The oldest that the chart names, and a newer one. */
const kubernetes = ['1.25', '1.35']

const store = ['drive.url=s3+https://s3.example.net/objects']
const storeKeys = [...store, 'drive.hasKeys=true', 'drive.accessKey=a', 'drive.secretKey=s']
const postgres = ['database.enabled=true', 'database.url=postgres://u:p@db/bucketry']
const fleet = [...storeKeys, ...postgres, 'replicas=3']
const always = ['Deployment', 'Service']

/** Installation → its values, and the kinds beside a Deployment and a Service. */
const installations: Readonly<
  Record<string, readonly [values: readonly string[], kinds: readonly string[]]>
> = {
  'with its defaults': [[], ['PersistentVolumeClaim', 'Secret']],
  'with a secret and a volume that exist': [
    [
      'existingSecret=keys',
      'persistence.existingClaim=files',
      'image.tag=edge',
      'buckets={photos,backups@nas}',
      'publicBuckets={backups}',
    ],
    [],
  ],
  'without a volume': [['persistence.enabled=false'], ['Secret']],
  'over a store, with the state on a volume': [storeKeys, ['PersistentVolumeClaim', 'Secret']],
  'of one gateway that keeps nothing': [[...store, ...postgres, 'existingSecret=keys'], []],
  'of a fleet': [
    [
      ...fleet,
      'sessions.enabled=true',
      'sessions.url=redis://valkey:6379',
      'publicUrl=https://s3.example.net',
    ],
    ['PodDisruptionBudget', 'Secret'],
  ],
  'with everything around it': [
    [
      ...[
        'ingress.s3.enabled=true',
        'ingress.s3.host=s3.example.net',
        'ingress.s3.className=nginx',
      ],
      ...[
        'ingress.s3.tlsSecret=tls',
        'ingress.s3.annotations.a=b',
        'ingress.dashboard.enabled=true',
      ],
      ...[
        'ingress.dashboard.host=files.example.net',
        'metrics.enabled=true',
        'networkPolicy.enabled=true',
      ],
      ...[
        'metrics.serviceMonitor.enabled=true',
        'metrics.serviceMonitor.labels.release=prometheus',
      ],
      ...['networkPolicy.from[0].namespaceSelector.matchLabels.a=b', 'nodeSelector.disk=large'],
      ...['networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus'],
      ...[
        'tolerations[0].operator=Exists',
        'affinity.podAntiAffinity=null',
        'podLabels.a=b',
        'podAnnotations.a=b',
      ],
      ...['extraEnv[0].name=GDRIVE_CLIENT_ID', 'extraEnv[0].valueFrom.secretKeyRef.name=google'],
      ...[
        'extraEnv[0].valueFrom.secretKeyRef.key=id',
        'settings.TRUST_PROXY=10.0.0.0/8',
        'settings.TRASH_DAYS=7',
      ],
      ...[
        'imagePullSecrets[0].name=registry',
        'serviceAccount.name=bucketry',
        'service.annotations.a=b',
      ],
    ],
    [
      'Ingress',
      'Ingress',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'Secret',
      'Service',
      'ServiceMonitor',
    ],
  ],
}

/** Values that Helm refuses → what it says. */
const mistakes: readonly (readonly [values: readonly string[], message: RegExp])[] = [
  [['replicas=2'], /replicas is above 1: set drive.url to an S3 store/],
  [['replicas=2', 'drive.url=webdav+https://host/files', ...postgres], /S3 store/],
  [['replicas=2', ...store], /replicas is above 1: set database.enabled/],
  [['database.enabled=true'], /set database.url/],
  [['sessions.enabled=true'], /set sessions.url/],
  [[...store, 'drive.hasKeys=true'], /set drive.accessKey and drive.secretKey/],
  [['drive.hasKeys=true', 'existingSecret=keys'], /drive.hasKeys is set: set drive.url/],
  [['publicBuckets={other}'], /publicBuckets has other: add it to buckets/],
  [['ingress.s3.enabled=true'], /set ingress.s3.host/],
  [
    ['ingress.dashboard.enabled=true', 'ingress.dashboard.host=a', 'dashboard.enabled=false'],
    /set dashboard.enabled/,
  ],
  [['metrics.serviceMonitor.enabled=true'], /set metrics.enabled/],
  [['metrics.enabled=true', 'metrics.port=9000'], /the port of S3/],
  [['replica=2'], /additional properties 'replica' not allowed/],
  [['compatibility=minio'], /value must be one of/],
  [['settings.trustProxy=a'], /trustProxy/],
]

const skip = absenceOf('helm', 'FULL=1 .ci/run') && absenceOfRegistry('Go modules')

describe('the Helm chart', { skip: skip || absenceOfRegistry('PyPI') }, () => {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-helm-'))
  const bin = join(folder, 'bin')
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, GOBIN: bin }
  const options = { cwd: folder, timeout: timeoutMs, env }
  const monitorSchema = join(folder, 'service-monitor.json')

  before(async () => {
    if (absenceOf('helm', '') !== false)
      await execute('go', ['install', 'helm.sh/helm/v3/cmd/helm@latest'], options)
    await execute('/usr/bin/python3', ['-m', 'venv', folder], options)
    await execute(join(bin, 'pip'), ['install', '--quiet', 'kubernetes-validate'], options)
    const operator = 'github.com/prometheus-operator/prometheus-operator'
    const asked = ['mod', 'download', '-json', `${operator}@latest`]
    const { Dir } = JSON.parse((await execute('go', asked, options)).stdout) as { Dir: string }
    const crd = `${Dir}/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml`
    const [version] = parse(readFileSync(crd, 'utf8')).spec.versions
    assert.equal(version.name, 'v1')
    writeFileSync(monitorSchema, JSON.stringify(strict(version.schema.openAPIV3Schema)))
  })

  after(() => rmSync(folder, { recursive: true }))

  async function render(values: readonly string[], version: string): Promise<string> {
    const sets = values.flatMap((value) => ['--set', value])
    const args = ['template', 'files', chart, '--namespace', 'apps', '--kube-version', version]
    const { stdout } = await execute('helm', [...args, ...sets], options)
    return stdout
  }

  async function checkMonitor(file: string): Promise<void> {
    const args = ['-m', 'jsonschema', '--instance', file, monitorSchema]
    await execute(join(bin, 'python3'), args, options)
  }

  it('has no findings of helm lint', async () => {
    await execute('helm', ['lint', '--strict', '--kube-version', '1.35', chart], options)
  })

  for (const [name, [values, kinds]] of Object.entries(installations)) {
    it(`is valid ${name}`, async () => {
      for (const version of kubernetes) {
        const text = await render(values, version)
        const documents = parseAllDocuments(text).flatMap((one) => one.toJS() ?? [])
        assert.deepEqual(documents.map(({ kind }) => kind).sort(), [...always, ...kinds].sort())
        const rendered = mkdtempSync(join(folder, 'rendered-'))
        const files: string[] = []
        for (const [index, document] of documents.entries()) {
          const file = join(rendered, `${index}.json`)
          writeFileSync(file, JSON.stringify(document))
          if (document.kind === 'ServiceMonitor') await checkMonitor(file)
          else files.push(file)
        }
        await execute(
          join(bin, 'kubernetes-validate'),
          ['--strict', '-k', version, ...files],
          options,
        )
        assertRestricted(documents.find(({ kind }) => kind === 'Deployment').spec.template.spec)
      }
    })
  }

  it('has a check of a ServiceMonitor that finds a mistake', async () => {
    const endpoints = [{ port: 'metrics', intervall: '30s' }]
    const file = join(folder, 'mistaken.json')
    writeFileSync(file, JSON.stringify({ spec: { selector: {}, endpoints } }))
    await assert.rejects(checkMonitor(file), /intervall/)
  })

  it('says what is missing', async () => {
    for (const [values, message] of mistakes)
      await assert.rejects(render(values, '1.35'), message, values.join(' '))
  })

  it('packs as a chart', async () => {
    const packed = join(folder, 'packed')
    mkdirSync(packed)
    await execute('helm', ['package', chart, '--destination', packed], options)
  })
})

/** Kubernetes drops fields that a schema does not have, without an error. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const made = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, strict(one)]))
  const isClosed = 'type' in schema && schema.type === 'object' && 'properties' in schema
  return isClosed ? { ...made, additionalProperties: false } : made
}

/** The profile `restricted` of Kubernetes' Pod Security Standards, and a read-only root. */
function assertRestricted(pod: {
  readonly automountServiceAccountToken: boolean
  readonly securityContext: object
  readonly containers: readonly {
    readonly securityContext: object
    readonly env: readonly { name: string }[]
  }[]
}): void {
  const [{ securityContext, env } = { securityContext: {}, env: [] }] = pod.containers
  assert.equal(pod.automountServiceAccountToken, false)
  assert.partialDeepStrictEqual(pod.securityContext, {
    ...{ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  assert.deepEqual(securityContext, {
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    capabilities: { drop: ['ALL'] },
  })
  const names = env.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length, names.join(' '))
}
