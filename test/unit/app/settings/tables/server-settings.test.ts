import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defaultWorkers,
  type Machine,
} from '../../../../../src/app/settings/tables/server-settings.ts'

const gibibyte = 2 ** 30
/** What a virtual machine of 4 GiB reports. */
const common: Machine = { cores: 2, memory: 3.8 * gibibyte, memoryLimit: 0 }
/** What Node reports where a cgroup has no limit. */
const noLimit = 2 ** 64

for (const [title, machine, workers] of [
  ['two cores and 4 GiB', common, 2],
  ['two cores and 2 GiB', { ...common, memory: 2 * gibibyte }, 1],
  ['a container without a limit', { ...common, memoryLimit: noLimit }, 2],
  ['a container with 1 GiB', { ...common, memoryLimit: gibibyte }, 2],
  ['a container with 512 MiB', { ...common, memoryLimit: gibibyte / 2 }, 1],
  ['one core', { ...common, cores: 1 }, 1],
  ['four cores and 1 GiB', { ...common, cores: 4, memory: gibibyte }, 4],
] as const) {
  test(`WORKERS is ${workers} by default with ${title}`, () => {
    assert.equal(defaultWorkers(machine), workers)
  })
}
