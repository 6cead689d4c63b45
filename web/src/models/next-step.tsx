import { Link } from 'wouter'
import { modelsTexts } from '../texts/models.ts'
import { Rich } from '../texts/rich.tsx'
import { useModelKeys } from './keys/model-keys-queries.ts'
import { useHasNoConnection } from './routing-queries.ts'

/** What a person does next, from an empty tab to a first call. */
export function NextStep() {
  const hasNoConnection = useHasNoConnection()
  const keys = useModelKeys().data?.keys
  if (hasNoConnection) {
    return (
      <Rich
        text={modelsTexts.next.connection}
        marks={{ link: (words) => <Link href="/models">{words}</Link> }}
      />
    )
  }
  return (
    <Rich
      text={keys?.length === 0 ? modelsTexts.next.keyOrTry : modelsTexts.next.try}
      marks={{
        keys: (words) => <Link href="/models/keys">{words}</Link>,
        try: (words) => <Link href="/models/try">{words}</Link>,
      }}
    />
  )
}
