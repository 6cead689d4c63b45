import { after, before } from 'node:test'
import { StrictUpstream, type StrictUpstreamOptions } from '../fakes/strict-upstream.ts'
import { fieldsOf } from './calling.ts'
import { ManagementClient } from './management-client.ts'

interface Service {
  readonly url: string
  readonly password: string
}

/**
 * An upstream whose models are `lab/big` and `lab/small`, for the tests of one `describe`. Call it there; what it
 * returns gives the upstream once the tests run.
 */
export function useUpstream(
  service: () => Service,
  { name = 'lab', ...options }: StrictUpstreamOptions & { readonly name?: string } = {},
): () => StrictUpstream {
  const ended: (() => Promise<void>)[] = []
  let upstream: StrictUpstream | undefined
  before(async () => {
    upstream = await StrictUpstream.start({ after: (end) => ended.push(end) }, options)
    const { url, password } = service()
    const management = await ManagementClient.signIn(url, password)
    const { providerSpecificData, ...fields } = fieldsOf(upstream)
    await management.done('POST', '/routing/connections', {
      ...{ name, ...fields },
      providerSpecificData: { prefix: name, ...providerSpecificData },
    })
  })
  after(async () => {
    for (const end of ended) await end()
  })
  return () => {
    if (upstream === undefined) throw new Error('the upstream has not started yet')
    return upstream
  }
}
