import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { TracerProvider } from '@opentelemetry/sdk-trace'
import { MemoryDrive } from '../../src/drives/memory/memory-drive.ts'
import { ChildSpans } from '../../src/wiring/tracing/child-spans.ts'
import { TracedDrive } from '../../src/wiring/tracing/traced-drive.ts'
import { buckets, type MakeDrive } from './drive/drive-suite.ts'
import { drivePartContract } from './drive-contract.ts'
import { localDriveLacks, makeLocalDrive } from './local-drive-under-test.ts'

const tracer = new TracerProvider().getTracer('contract')

/** All code runs within one request. */
class AlwaysWithin extends ChildSpans {
  readonly #request = trace.setSpan(ROOT_CONTEXT, tracer.startSpan('request'))

  override get current(): Context {
    return super.current ?? this.#request
  }
}

const makeTracedLocalDrive: MakeDrive = async (t, options) => {
  const made = await makeLocalDrive(t, options)
  return { ...made, drive: new TracedDrive(made.drive, new AlwaysWithin(tracer)) }
}

const makeTracedMemoryDrive: MakeDrive = async (t, options) => {
  const drive = new MemoryDrive(options)
  await drive.prepare(buckets)
  t.after(() => drive.close())
  return {
    drive: new TracedDrive(drive, new AlwaysWithin(tracer)),
    leftovers: async () => Array.from({ length: drive.uploads.count }, () => 'an upload'),
  }
}

drivePartContract('the local drive with traces', 'objects', {
  make: makeTracedLocalDrive,
  lacking: localDriveLacks,
})
drivePartContract('the memory drive with traces', 'objects', {
  make: makeTracedMemoryDrive,
  lacking: {
    reopen: 'it forgets everything',
    byHand: 'nobody can put a file into memory',
    removeFolder: 'it has no folders that nobody needs',
  },
})
