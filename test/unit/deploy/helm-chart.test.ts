/** The Helm chart without Helm: test/clients/newest/helm-chart.test.ts renders it every night. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import * as z from 'zod'
import { settingsTable } from '../../../src/app/settings/tables/settings-table.ts'

const root = join(import.meta.dirname, '../../..')
const chart = join(root, 'deploy/helm')
const read = (name: string) => readFileSync(join(chart, name), 'utf8')

test('the chart has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { version: ofChart, appVersion } = parse(read('Chart.yaml'))
  assert.deepEqual({ ofChart, appVersion }, { ofChart: version, appVersion: version })
})

test('its default values match its schema, which has every value and no other', () => {
  const schema = JSON.parse(read('values.schema.json'))
  const values = parse(read('values.yaml'))
  z.fromJSONSchema(schema).parse(values)
  // Helm adds it.
  const { global: _, ...properties } = schema.properties
  assert.deepEqual(namesIn({ ...schema, properties }), namesOf(values, schema))
  assert.throws(() => z.fromJSONSchema(schema).parse({ ...values, replica: 1 }))
})

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
}

function namesIn({ properties = {} }: Schema, path = ''): string[] {
  return Object.entries(properties)
    .flatMap(([name, below]) => [`${path}/${name}`, ...namesIn(below, `${path}/${name}`)])
    .sort()
}

/** The names of values, as far as the schema names them. */
function namesOf(values: Readonly<Record<string, unknown>>, schema: Schema, path = ''): string[] {
  return Object.entries(values)
    .flatMap(([name, value]) => {
      const below = schema.properties?.[name]
      const isNamed = below?.properties !== undefined
      const inner = isNamed
        ? namesOf(value as Readonly<Record<string, unknown>>, below, `${path}/${name}`)
        : []
      return [`${path}/${name}`, ...inner]
    })
    .sort()
}

test('the variables in its templates are settings', () => {
  const names = new Set(Object.values(settingsTable).map(({ name }) => name as string))
  const text = readdirSync(join(chart, 'templates'))
    .map((file) => read(`templates/${file}`))
    .join('')
  const variables = [...text.matchAll(/name: ([A-Z][A-Z0-9_]+)/g)].map(([, name = '']) => name)
  assert.ok(variables.length > 10)
  for (const name of variables) assert.ok(names.has(name.replace(/_FILE$/, '')), name)
})

test('its templates use only values that exist', () => {
  const values = parse(read('values.yaml'))
  const text = readdirSync(join(chart, 'templates'))
    .map((file) => read(`templates/${file}`))
    .join('')
  for (const [, path = ''] of text.matchAll(/(?:\.Values|\$values)\.([A-Za-z0-9.]+)/g)) {
    const found = path.split('.').reduce((value, name) => value?.[name], values)
    assert.notEqual(found, undefined, path)
  }
})
