import { answerCalls } from '../../../../src/platform/process/call-thread.ts'

/** The thread of call-thread.test.ts. */
answerCalls<{ readonly what: string; readonly bytes: ArrayBuffer }, Uint8Array>((request) => {
  if (request.what === 'exit') process.exit()
  if (request.what === 'throw') throw Object.assign(new Error('gone'), { code: 'ENOENT' })
  const result = new Uint8Array(request.bytes).map((byte) => 2 * byte)
  return { result, transfer: [result.buffer] }
})
