import type { KeyBody } from '../../src/dashboard/management/key-routes.ts'
import { post, signIn } from './management.ts'

const keys: readonly KeyBody[] = [
  {
    name: 'photo frame',
    grants: [{ bucket: 'photos', prefix: '', actions: ['list', 'read'] }],
  },
  {
    name: 'restic on the laptop',
    note: 'every night',
    grants: [
      { bucket: 'backups', prefix: 'laptop/', actions: ['list', 'read', 'write', 'delete'] },
    ],
    limits: { requestsPerSecond: null, bytes: 500 * 2 ** 30 },
  },
  {
    name: 'website',
    grants: [{ bucket: 'documents', prefix: 'site/', actions: ['list', 'read', 'write'] }],
    expiresAt: '2031-12-31T23:59:59.000Z',
  },
]

/** Makes access keys through the management API of the gateway at this URL. */
export async function seedKeys(url: string): Promise<void> {
  const token = await signIn(url)
  for (const key of keys) await post(`${url}/-/api/keys`, key, token)
}
