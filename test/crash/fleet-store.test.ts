import { suite, test } from 'node:test'
import { s3Store } from './fleet-drive.ts'
import { raceThroughGateways } from './fleet-races.ts'
import { absenceOfFleet, fleetLimitMs, runFleet } from './fleet-run.ts'

suite('A fleet over an S3 store that is killed and suspended, too', {
  skip: absenceOfFleet,
}, () => {
  test(
    'loses no acknowledged write, mixes no versions, and shows no old ones',
    {
      timeout: fleetLimitMs(s3Store),
    },
    (t) =>
      runFleet(t, s3Store, (fleet, store) =>
        raceThroughGateways(fleet, store, s3Store.clients.creators > 0),
      ),
  )
})
