import { Anchor, Badge, Code } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ModelKeyReply } from '../../../../src/models/keys/model-key-routes.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Rich } from '../../texts/rich.tsx'
import { Age } from '../../ui/age.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { failureOf } from '../../ui/messages.ts'
import { Row } from '../../ui/row-list.tsx'
import { ModelKeyDialog } from './model-key-dialog.tsx'
import { isExpired, limitsText, modelsText } from './model-key-draft.ts'
import { useModelKeyAction } from './model-keys-queries.ts'

interface ModelKeyRowProps {
  readonly modelKey: ModelKeyReply
}

export function ModelKeyRow({ modelKey }: ModelKeyRowProps) {
  const [asked, setAsked] = useState<'change' | 'revoke'>()
  const close = () => setAsked(undefined)
  const { name, keyId } = modelKey
  const { mutate, isPending } = useModelKeyAction({
    onError: failureOf(modelsTexts.keys.revokeFailure(name)),
  })
  return (
    <Row
      title={
        <>
          <b>{name}</b>{' '}
          {isExpired(modelKey, Date.now()) && (
            <Badge variant="light" color="red" tt="none" size="sm">
              {modelsTexts.keys.isExpired}
            </Badge>
          )}
        </>
      }
      detail={<Detail modelKey={modelKey} />}
      actions={
        <>
          <IconButton label={modelsTexts.keys.change(name)} onClick={() => setAsked('change')}>
            <IconPencil size={16} />
          </IconButton>
          <IconButton label={modelsTexts.keys.revoke(name)} onClick={() => setAsked('revoke')}>
            <IconTrash size={16} />
          </IconButton>
        </>
      }
    >
      {asked === 'change' && <ModelKeyDialog modelKey={modelKey} onDone={close} onClose={close} />}
      <Confirm
        isOpen={asked === 'revoke'}
        title={modelsTexts.keys.revokeAsk(name)}
        action={modelsTexts.keys.revokeAction}
        isBusy={isPending}
        onConfirm={() => mutate({ method: 'DELETE', path: `/${keyId}` }, { onSettled: close })}
        onClose={close}
      >
        <Rich text={modelsTexts.keys.revokeText(name)} />
      </Confirm>
    </Row>
  )
}

function Detail({ modelKey }: ModelKeyRowProps) {
  const { keyId, name, createdAt, expiresAt } = modelKey
  const limits = limitsText(modelKey)
  return (
    <>
      <div>{modelsText(modelKey)}</div>
      {limits !== '' && <div>{limits}</div>}
      <div>
        <Code>bmk_{keyId}_…</Code>{' '}
        <Rich text={modelsTexts.keys.made} marks={{ age: () => <Age at={createdAt} /> }} />
        {expiresAt !== null && (
          <Rich
            text={
              isExpired(modelKey, Date.now()) ? modelsTexts.keys.expired : modelsTexts.keys.expires
            }
            marks={{ age: () => <Age at={expiresAt} /> }}
          />
        )}
        {' · '}
        <Anchor
          component={Link}
          fz="inherit"
          underline="always"
          href={`/models/usage?key=%3D${keyId}`}
          aria-label={modelsTexts.keys.usageOf(name)}
        >
          {modelsTexts.tab.usage}
        </Anchor>
      </div>
    </>
  )
}
