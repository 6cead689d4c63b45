import { answerCalls } from '../../../../platform/process/call-thread.ts'
import { runWriteJobs, type WriteJobs, type WriteOutcomes } from './write-jobs.ts'

/** The thread of small-writes.ts. */
answerCalls<WriteJobs, WriteOutcomes>((jobs) => ({ result: runWriteJobs(jobs), transfer: [] }))
