import { suite, test } from 'node:test'
import { sharedFolder } from './fleet-drive.ts'
import { absenceOfFleet, fleetLimitMs, runFleet } from './fleet-run.ts'

suite('A fleet whose gateways are killed, suspended and cut off', { skip: absenceOfFleet }, () => {
  test(
    'loses no acknowledged write and mixes no versions',
    {
      timeout: fleetLimitMs(sharedFolder),
    },
    (t) => runFleet(t, sharedFolder),
  )
})
