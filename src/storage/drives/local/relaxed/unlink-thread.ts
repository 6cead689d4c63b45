import { answerCalls } from '../../../../platform/process/call-thread.ts'
import { fs } from '../file-calls.ts'

/** Unlinks the files of a folder. Those that can't be unlinked stay. */
answerCalls<string, undefined>((folder) => {
  for (const name of fs.readdirSync(folder)) {
    try {
      fs.unlinkSync(`${folder}/${name}`)
    } catch {
      // The caller removes it, and reports the error.
    }
  }
  return { result: undefined, transfer: [] }
})
