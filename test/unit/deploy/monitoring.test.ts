import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  type MetricDefinition,
  metricDefinitions,
} from '../../../src/app/telemetry/metrics/definitions.ts'

const folder = new URL('../../../deploy/monitoring/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

/** Names of series, and with their labels where an expression selects some. */
const series = /(bucketry_[a-z_]+)(?:\{([^}]*)\})?/g

for (const file of ['grafana-dashboard.json', 'alerts.yaml', 'alerts.test.yaml']) {
  test(`${file} uses only metrics and labels that exist`, () => {
    const text = read(file).replaceAll('\\"', '"')
    const used = [...text.matchAll(series)]
    assert.ok(used.length >= 6)
    for (const [, name = '', selected = ''] of used) {
      const definition = definitionOf(name)
      assert.ok(definition, name)
      const labels = [...selected.matchAll(/([a-z_]+)[!=]?[=~]/g)].map(([, label]) => label)
      const known = [...definition.labels, 'le', 'job', 'instance']
      for (const label of labels) assert.ok(known.includes(String(label)), `${name}: ${label}`)
    }
  })
}

function definitionOf(name: string): MetricDefinition | undefined {
  const definitions: Readonly<Record<string, MetricDefinition>> = metricDefinitions
  const base = name.replace(/_(?:bucket|sum|count)$/, '')
  return (
    definitions[name] ?? (definitions[base]?.type === 'histogram' ? definitions[base] : undefined)
  )
}

test('Every alert has a test', () => {
  const alerts = [...read('alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  assert.equal(alerts.length, 7)
  const tested = new Set(
    [...read('alerts.test.yaml').matchAll(/alertname: (\w+)/g)].map(([, name]) => name),
  )
  assert.deepEqual([...tested], alerts)
})

test('docs/metrics.md lists every alert', () => {
  const document = readFileSync(new URL('../../docs/metrics.md', folder), 'utf8')
  for (const [, name] of read('alerts.yaml').matchAll(/- alert: (\w+)/g)) {
    assert.match(document, new RegExp(`^\\| ${name} \\|`, 'm'))
  }
})
