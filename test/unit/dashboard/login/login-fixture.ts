import { createHash } from 'node:crypto'
import { createLogin } from '../../../../src/dashboard/login/login-api.ts'
import { route } from '../../../../src/platform/json-api/route.ts'
import { MemoryKeyValueStore } from '../../../fakes/memory-key-value.ts'
import { jsonSender } from '../../../support/json-sender.ts'

export const password = 'open sesame'
export const passwordHash = createHash('sha256').update(password).digest('hex')

export async function open(options: { readonly isOff?: boolean; readonly isFixed?: boolean } = {}) {
  let stored = password
  const clock = { now: 1_000_000 }
  const store = new MemoryKeyValueStore(() => clock.now)
  const failures: unknown[] = []
  const login = createLogin({
    store,
    password: {
      current: () => (options.isOff === true ? undefined : stored),
      change: options.isFixed
        ? undefined
        : async (next) => {
            stored = next
          },
    },
    isFromOtherOrigin: ({ headers }) => headers.origin === 'https://elsewhere.example',
    clientAddress: ({ remoteAddress }) => remoteAddress,
  })
  const guarded = route({
    ...{ method: 'POST', path: '/-/api/thing', operationId: 'thing', summary: 'x' },
    access: login.session,
    answer: async () => undefined,
  })
  const { send } = jsonSender([...login.routes, guarded], {
    onFailure: (error) => failures.push(error),
  })
  const signIn = (body: object = { passwordHash }, remoteAddress = '192.0.2.1') =>
    send({ method: 'POST', url: '/auth/login', payload: body, remoteAddress })
  const session = (authorization?: string) =>
    send({ url: '/auth/session', headers: { authorization } })
  const logout = (authorization: string) =>
    send({ method: 'POST', url: '/auth/logout', headers: { authorization } })
  return { clock, store, failures, send, signIn, session, logout }
}
