import { answerCalls } from '../../../../platform/process/call-thread.ts'
import { type FolderContents, type FolderReadRequest, readFolder } from './read-folder.ts'

/** The thread of folder-indexes.ts: reads and sorts folders that would block the event loop. */
answerCalls<FolderReadRequest, FolderContents>((request) => {
  const result = readFolder(request)
  const { bytes, starts, flags, order } = result.names
  return { result, transfer: [bytes.buffer, starts.buffer, flags.buffer, order.buffer] }
})
