import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  type MetricDefinition,
  metricDefinitions,
} from '../../../../../src/app/telemetry/metrics/definitions.ts'

const root = new URL('../../../../../', import.meta.url)
const document = readFileSync(new URL('docs/metrics.md', root), 'utf8')
const definitions = Object.entries<MetricDefinition>(metricDefinitions)

test('docs/metrics.md lists every metric with its type, labels and meaning, in order', () => {
  const expected = definitions.map(([name, { type, labels, help }]) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ') || 'none'
    return `| ${name} | ${type} | ${shown} | ${help} |`
  })
  const rows = document.split('\n').filter((line) => line.startsWith('| bucketry_'))
  assert.deepEqual(rows, expected)
})

test('docs/metrics.md explains every label', () => {
  for (const label of new Set(definitions.flatMap(([, { labels }]) => labels))) {
    if (label === 'version' || label === 'node') continue
    assert.match(document, new RegExp(`^\\| \`${label}\` \\|`, 'm'))
  }
})

test('Names of metrics follow the rules of Prometheus', () => {
  for (const [name, { type }] of definitions) {
    assert.match(name, /^bucketry_[a-z_]+$/)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
  }
})
