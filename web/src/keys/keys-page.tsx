import { Button } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { KeyReply, KeyWithSecretReply } from '../../../src/dashboard/management/key-routes.ts'
import { useBuckets } from '../api/service-queries.ts'
import { keysTexts } from '../texts/keys.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { HelpButton } from '../ui/help-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { RowList } from '../ui/row-list.tsx'
import { Section } from '../ui/section.tsx'
import { AccessKeySecret } from './access-key-secret.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { newDraft } from './key-draft.ts'
import { KeyRow } from './key-row.tsx'
import { useKeys } from './keys-queries.ts'

/** The access keys of apps. */
export function KeysPage() {
  const [isAdding, setIsAdding] = useState(false)
  const [made, setMade] = useState<KeyWithSecretReply>()
  const firstBucket = useBuckets().data?.buckets[0]?.name ?? '*'
  return (
    <>
      <PageHeading title={keysTexts.title}>
        {keysTexts.text} <HelpButton text={keysTexts.textHelp} />
      </PageHeading>
      <Section
        title={keysTexts.listTitle}
        actions={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setIsAdding(true)}>
            {keysTexts.create}
          </Button>
        }
      >
        <Loaded query={useKeys()} failure={keysTexts.failure}>
          {({ keys }) => <Keys keys={keys} onSecret={setMade} onAdd={() => setIsAdding(true)} />}
        </Loaded>
      </Section>
      {isAdding && (
        <KeyDialog<KeyWithSecretReply>
          title={keysTexts.newKey}
          action={keysTexts.createAction}
          initial={newDraft(firstBucket)}
          request={{ method: 'POST', path: '' }}
          onDone={(reply) => {
            setIsAdding(false)
            setMade(reply)
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
      {made !== undefined && <AccessKeySecret made={made} onClose={() => setMade(undefined)} />}
    </>
  )
}

interface KeysProps {
  readonly keys: readonly KeyReply[]
  readonly onSecret: (made: KeyWithSecretReply) => void
  readonly onAdd: () => void
}

function Keys({ keys, onSecret, onAdd }: KeysProps) {
  if (keys.length === 0) {
    return (
      <EmptyState
        icon={<IconKey size={32} stroke={1.5} />}
        title={keysTexts.none}
        action={<Button onClick={onAdd}>{keysTexts.createFirst}</Button>}
      >
        {keysTexts.noneText}
      </EmptyState>
    )
  }
  return (
    <RowList>
      {keys.map((key) => (
        <KeyRow key={key.accessKeyId} accessKey={key} onSecret={onSecret} />
      ))}
    </RowList>
  )
}
