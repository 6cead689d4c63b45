/** Figures and lists that pages repeat from the code are the same there. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { maxMadeBuckets } from '../../src/storage/buckets/bucket-maker.ts'
import { clientSettings } from '../../web/src/connect/client-settings.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8').replace(/\s+/g, ' ')

/** The newest run of a comparison with other programs: the first row of each server, by measurement. */
function comparedFigures(measurement: string): ReadonlyMap<string, number> {
  const sections = readFileSync(join(root, 'bench/results.md'), 'utf8').split(/^### /m)
  const found = sections.find(
    (text) => text.startsWith(`${measurement}:`) && text.includes('| versitygw |'),
  )
  const rows = (found ?? '').matchAll(/^\| ([\w-]+) \| ([\d.]+) \|/gm)
  return new Map(Array.from(rows, ([, server = '', value]) => [server, Math.round(Number(value))]))
}

const grouped = (value: number | undefined) => (value ?? Number.NaN).toLocaleString('en-US')

test('docs/comparison.md has the figures of bench/results.md', () => {
  const page = read('docs/comparison.md')
  const [get, put, idle] = ['get-small', 'put-small', 'idle-memory'].map(comparedFigures)
  const figure = (of: ReadonlyMap<string, number> | undefined, name: string) =>
    grouped(of?.get(name))
  const sentences = [
    `${figure(put, 'versitygw')} objects of 1 KiB per second where Bucketry writes ${figure(put, 'bucketry')},`,
    `it uses ${figure(idle, 'versitygw')} MiB of memory, Bucketry ${figure(idle, 'bucketry')}.`,
    `${figure(get, 'bucketry')}, ${figure(get, 'versitygw')} and ${figure(get, 'rclone')} objects of 1 KiB per second.`,
  ]
  for (const sentence of sentences) assert.ok(page.includes(sentence), sentence)
})

test('README.md has the number of clients that the dashboard shows settings for', () => {
  const words = ['six', 'seven', 'eight', 'nine', 'ten']
  const gateway = {
    endpoint: 'http://localhost',
    region: 'us-east-1',
    accessKey: 'me',
    bucket: 'files',
  }
  const text = `settings to paste for ${words[clientSettings(gateway).length - 6]} clients`
  assert.ok(read('README.md').includes(text), text)
})

test('docs/buckets.md has the number of buckets that can be made', () => {
  const text = `There may be ${grouped(maxMadeBuckets)} such buckets`
  assert.ok(read('docs/buckets.md').includes(text), text)
})

test('the clients that README.md says CI runs have a test and a row in docs/s3-compatibility.md', () => {
  const [, list = ''] =
    /CI runs (.*?) against Bucketry over HTTP and HTTPS/.exec(read('README.md')) ?? []
  const names = list
    .replace(' and ', ', ')
    .split(', ')
    .map((name) => name.replace(/^the /, ''))
  const files: Readonly<Record<string, string>> = { 'AWS SDKs': 'aws-sdk', minio: 'minio-js' }
  assert.ok(names.length >= 7)
  const rows = read('docs/s3-compatibility.md').split('## Clients')[1] ?? ''
  for (const name of names) {
    assert.ok(existsSync(join(root, `test/clients/${files[name] ?? name}.test.ts`)), name)
    assert.ok(rows.includes(`| ${name.replace(/s$/, '')}`), name)
  }
})

test('docs/webdav.md has the numbers of requests that the test of the start allows', () => {
  const text = read('test/regressions/webdav/start-requests.test.ts')
  const [, first] = /mostAtFirst = (\d+)/.exec(text) ?? []
  const [, later] = /mostLater = (\d+)/.exec(text) ?? []
  const sentence = `The first start sends up to ${first} requests, later ones up to ${later}.`
  assert.ok(read('docs/webdav.md').includes(sentence), sentence)
})
