import { Link } from 'wouter'
import { useModelKeys } from './keys/model-keys-queries.ts'
import { useRouting } from './routing-queries.ts'

/** What a person does next, from an empty tab to a first call. */
export function NextStep() {
  const connections = useRouting().data?.connections
  const keys = useModelKeys().data?.keys
  if (connections?.every(({ isActive }) => !isActive) === true) {
    return (
      <>
        First <Link href="/models">add a connection</Link> to a provider.
      </>
    )
  }
  return (
    <>
      {keys?.length === 0 && (
        <>
          Make a <Link href="/models/keys">model key</Link> for an app, or{' '}
        </>
      )}
      <Link href="/models/try">{keys?.length === 0 ? 'try' : 'Try'} a model</Link>. There are also
      settings to copy for apps.
    </>
  )
}
