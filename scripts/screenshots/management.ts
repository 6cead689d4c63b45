import { createHash } from 'node:crypto'
import { demoPassword } from './demo-gateway.ts'

/** Signs in at the gateway of this URL. @returns the token of the session */
export async function signIn(url: string): Promise<string> {
  const passwordHash = createHash('sha256').update(demoPassword).digest('hex')
  const { token } = await post(`${url}/auth/login`, { passwordHash })
  return String(token)
}

/** Sends JSON and returns that of the reply. @throws Error if it is refused */
export async function post(
  url: string,
  body: object,
  token?: string,
): Promise<Record<string, unknown>> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
