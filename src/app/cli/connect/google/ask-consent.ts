import { untilAborted } from '../../../../platform/process/time-limit.ts'
import { ConnectError } from '../../command.ts'
import { NobodyThere, type Terminal } from '../terminal.ts'
import { type Consent, consentCodeOf, consentUrl, newConsent } from './consent.ts'
import { exchangeCode } from './exchange-code.ts'
import { type RedirectServer, startRedirectServer } from './redirect-server.ts'

interface ConsentOptions {
  readonly terminal: Terminal
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** The port on 127.0.0.1 that receives Google's redirect; 0 for a free one. */
  readonly port: number
}

/** Long, because users first choose an account and read the consent pages. */
const waitMs = 15 * 60_000

/**
 * Asks the user for consent in the browser and resolves with the refresh token.
 *
 * @throws ConnectError when consent is denied or does not arrive in time.
 */
export async function askConsent(options: ConsentOptions): Promise<string> {
  const { terminal, authorizeUrl, tokenUrl, clientId, clientSecret, port } = options
  const consent = newConsent()
  const server = await startRedirectServer(consent, port)
  try {
    const { redirectUri } = server
    terminal.say(
      [
        '',
        'Open this address in a browser and grant access:',
        '',
        consentUrl(consent, { authorizeUrl, clientId, redirectUri }),
        '',
        `Google redirects the browser to ${redirectUri}. If the browser is on another machine, that`,
        'page does not load: copy its address from the address bar and paste it here.',
        '',
      ].join('\n'),
    )
    const code = await firstCode(server, { terminal, consent })
    const { verifier } = consent
    return await exchangeCode({ tokenUrl, clientId, clientSecret, redirectUri, code, verifier })
  } finally {
    await server.close()
  }
}

interface Waiting {
  readonly terminal: Terminal
  readonly consent: Consent
}

/** The code arrives through the browser or is pasted. */
async function firstCode(server: RedirectServer, { terminal, consent }: Waiting): Promise<string> {
  const over = new AbortController()
  const limit = setTimeout(() => {
    over.abort(new ConnectError('No access was granted within 15 minutes. Start again.'))
  }, waitMs)
  try {
    const byHand = pastedCode({ terminal, consent }, over.signal)
    return await Promise.race([server.code, byHand])
  } finally {
    clearTimeout(limit)
    over.abort(new ConnectError('The question was answered.'))
  }
}

async function pastedCode({ terminal, consent }: Waiting, signal: AbortSignal): Promise<string> {
  for (;;) {
    const line = await terminal.ask('', signal).catch((error: unknown) => {
      if (error instanceof NobodyThere)
        return untilAborted(new Promise<never>(() => undefined), signal)
      throw error
    })
    if (line === '') continue
    const url = URL.parse(line)
    const code = url === null ? undefined : consentCodeOf(consent, url)
    if (code !== undefined) return code
    terminal.say(
      'That is not the address that Google redirected the browser to. It must contain `code=`.',
    )
  }
}
