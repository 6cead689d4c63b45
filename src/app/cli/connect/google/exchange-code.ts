import { z } from 'zod'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import { driveScope } from '../../../../storage/drives/google/api/access-tokens.ts'
import { defaultLimits, GoogleHttp } from '../../../../storage/drives/google/api/google-http.ts'
import { TransientError } from '../../../../storage/drives/kit/cloud/retry-policy.ts'
import { ConnectError } from '../../command.ts'
import { word } from './consent.ts'

interface CodeExchange {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  readonly code: string
  readonly verifier: string
}

const tokens = z.object({
  refresh_token: z.string().min(1).optional(),
  scope: z.string().default(driveScope),
})
const refusal = z.object({ error: z.string().transform(word) })

const advice: Readonly<Record<string, string>> = {
  invalid_client: 'The client ID or its secret is wrong.',
  invalid_grant: 'The code was already used or has expired. Start again.',
  redirect_uri_mismatch: 'The client must be of the type "Desktop app": create one of that type.',
  unauthorized_client: 'The client must be of the type "Desktop app": create one of that type.',
}

/**
 * Exchanges the code of a consent for a refresh token.
 *
 * @throws ConnectError when Google returns none.
 */
export async function exchangeCode(exchange: CodeExchange): Promise<string> {
  const { status, content } = await ask(exchange)
  if (status !== 200) {
    const code = refusal.safeParse(content).data?.error ?? String(status)
    const what = (Object.hasOwn(advice, code) ? advice[code] : undefined) ?? 'Try again later.'
    throw new ConnectError(`Google rejected the authorization code (${code}). ${what}`)
  }
  const answer = tokens.safeParse(content).data
  if (answer?.refresh_token === undefined) {
    throw new ConnectError(
      'Google returned no refresh token. Remove the app at https://myaccount.google.com/connections and start again.',
    )
  }
  // Users can deselect individual permissions.
  if (!answer.scope.split(' ').includes(driveScope)) {
    throw new ConnectError(
      'Permission to see and change Google Drive files was not granted. Start again and select its checkbox.',
    )
  }
  return answer.refresh_token
}

async function ask({ tokenUrl, ...exchange }: CodeExchange) {
  const http = new GoogleHttp(defaultLimits)
  try {
    const answer = await http.send({
      method: 'POST',
      url: tokenUrl,
      limiter: 'calls',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: exchange.clientId,
        client_secret: exchange.clientSecret,
        redirect_uri: exchange.redirectUri,
        code: exchange.code,
        code_verifier: exchange.verifier,
      }).toString(),
    })
    return { status: answer.status, content: parsedJson(await answer.text(64 * 1024)) }
  } catch (cause) {
    if (!(cause instanceof TransientError)) throw cause
    throw new ConnectError(`Google can't be reached (${cause.message}). Check the network.`, {
      cause,
    })
  } finally {
    await http.close()
  }
}
