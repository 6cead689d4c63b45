import { updateMd5 } from '../../../../platform/checksums/md5.ts'
import { answerCalls } from '../../../../platform/process/call-thread.ts'
import type { DigestRequest, DigestResult } from './block-digester.ts'

/** The thread of block-digester.ts. It computes what would block the event loop. */
answerCalls<DigestRequest, DigestResult>(({ md5, bytes }) => {
  const result = { md5: updateMd5(md5, new Uint8Array(bytes)), bytes }
  return { result, transfer: [bytes] }
})
