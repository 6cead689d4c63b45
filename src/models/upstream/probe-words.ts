import type { UpstreamAnswer } from './ask-upstream.ts'
import type { ProbeReport } from './probe-report.ts'
import type { UpstreamError } from './upstream-error.ts'

/** The messages of a connection test. */

type Said = Omit<ProbeReport, 'durationMs'>

/** The maximum length of quoted upstream text, characters. */
const maxQuoted = 300

export function describeAnswer({ status, ids }: UpstreamAnswer): Said {
  const models = ids.length === 1 ? '1 model' : `${ids.length} models`
  return { outcome: 'ok', status, modelCount: ids.length, message: `The upstream lists ${models}.` }
}

/** There is no address to send a request to. */
export const noModelsApi: Said = {
  outcome: 'untested',
  message:
    'This connection cannot be tested: the catalogue has no API address for its provider. Its models are listed from the catalogue.',
}

/** @param apiKey is removed from the text of the upstream, which may repeat it. */
export function describeFailure(error: UpstreamError, apiKey: string | undefined): Said {
  const { status, detail = '' } = error
  const quoted = quote(detail, apiKey?.trim() ?? '')
  const addition = error.code === 'status' ? ` It said: ${quoted}` : ` (${quoted})`
  return {
    outcome: 'failed',
    ...(status === undefined ? {} : { status }),
    message: quoted === '' ? error.message : `${error.message}${addition}`,
  }
}

function quote(text: string, apiKey: string): string {
  const withoutKey = apiKey === '' ? text : text.replaceAll(apiKey, '***')
  const plain = withoutKey.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return plain.length > maxQuoted ? `${plain.slice(0, maxQuoted)}…` : plain
}
