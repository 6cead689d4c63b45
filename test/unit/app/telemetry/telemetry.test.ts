import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const source = join(import.meta.dirname, '../../../../src/app')

/** Loads the service, starts tracing with these settings and prints the packages that were loaded. */
const script = `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({
    resolve(specifier, context, next) {
      const found = /^@opentelemetry\\/[^/]+/.exec(specifier)
      if (found) loaded.add(found[0])
      return next(specifier, context)
    },
  })
  await import('${source}/start/processes/primary.ts')
  const { openTelemetry } = await import('${source}/telemetry/telemetry.ts')
  const { readSettings } = await import('${source}/settings/read-settings.ts')
  const settings = await readSettings(process.env)
  const { tracing } = await openTelemetry(settings, undefined)
  process.stdout.write(JSON.stringify({ isOn: tracing !== undefined, loaded: [...loaded] }))
`

function loadedWith(environment: Record<string, string>): { isOn: boolean; loaded: string[] } {
  const env = {
    ...{ ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2hunter2', ALLOWED_BUCKETS: 'photos' },
    ...environment,
  }
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }))
}

test('No package of OpenTelemetry is loaded unless an address for traces is set', () => {
  const off = loadedWith({ OTEL_SERVICE_NAME: 'photos', OTEL_TRACES_SAMPLER: 'always_on' })
  assert.deepEqual(off, { isOn: false, loaded: [] })
  const address = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  assert.deepEqual(loadedWith({ ...address, OTEL_SDK_DISABLED: 'true' }), off)
  const on = loadedWith(address)
  assert.equal(on.isOn, true)
  assert.ok(on.loaded.includes('@opentelemetry/sdk-trace'))
})
