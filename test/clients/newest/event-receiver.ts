import { type StubUpstream, startStub } from '../../fakes/stub-upstream.ts'

interface Message {
  readonly Records: readonly {
    readonly eventName: string
    readonly s3: { readonly bucket: { readonly name: string }; readonly object: { key: string } }
  }[]
}

/**
 * The webhook of the gateway. Scenarios ask it which events came, because their clients receive none: GET /BUCKET
 * answers a line for each, in their order.
 */
export function startEventReceiver(): Promise<StubUpstream> {
  const lines = new Map<string, string[]>()
  return startStub(async (request, response) => {
    if (request.method === 'GET') {
      response.end((lines.get(request.url?.slice(1) ?? '') ?? []).join('\n'))
      return
    }
    const { Records }: Message = JSON.parse((await request.toArray()).join(''))
    for (const { eventName, s3 } of Records) {
      const known = lines.get(s3.bucket.name) ?? []
      lines.set(s3.bucket.name, [...known, `${eventName} ${s3.object.key}`])
    }
    response.end()
  })
}
