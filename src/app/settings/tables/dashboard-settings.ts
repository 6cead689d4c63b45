import { listenAddress } from '../parse-names.ts'
import { integerIn, keyValueStore, passphrase } from '../parse-values.ts'
import type { Setting } from '../setting.ts'

/** The dashboard, its login and the management API (docs/dashboard.md). */
export const dashboardSettings = {
  dashboardPassword: {
    name: 'DASHBOARD_PASSWORD',
    whenUnset: 'the dashboard is off',
    meaning:
      'Password of the dashboard, the login API (`/auth`) and the management API (`/-/api`).',
    isSecret: true,
    parse: passphrase,
  },
  dashboardAddress: {
    name: 'DASHBOARD_ADDRESS',
    whenUnset: 'none',
    meaning:
      'Further address to listen on, `[HOST]:PORT`, for setups that expect the dashboard on a port of its own. It serves the same as PORT.',
    parse: listenAddress,
  },
  authKv: {
    name: 'AUTH_KV',
    whenUnset: 'the database',
    meaning:
      'Store for sessions and failed logins: `redis://…` or `rediss://…` (Redis or Valkey, or a node of a cluster).',
    isSecret: true,
    parse: keyValueStore,
  },
  trashDays: {
    name: 'TRASH_DAYS',
    default: '30',
    meaning:
      'Days to keep what the dashboard deletes in the trash of its bucket. With 0, it is deleted permanently (docs/dashboard.md, "Trash").',
    parse: integerIn({ min: 0, max: 3_650 }),
  },
} as const satisfies Record<string, Setting<unknown>>
