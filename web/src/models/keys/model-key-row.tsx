import { Anchor, Badge, Code } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ModelKeyReply } from '../../../../src/models/keys/model-key-routes.ts'
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
    onError: failureOf(`${name} could not be revoked`),
  })
  return (
    <Row
      title={
        <>
          <b>{name}</b>{' '}
          {isExpired(modelKey, Date.now()) && (
            <Badge variant="light" color="red" tt="none" size="sm">
              expired
            </Badge>
          )}
        </>
      }
      detail={<Detail modelKey={modelKey} />}
      actions={
        <>
          <IconButton label={`Change ${name}`} onClick={() => setAsked('change')}>
            <IconPencil size={16} />
          </IconButton>
          <IconButton label={`Revoke ${name}`} onClick={() => setAsked('revoke')}>
            <IconTrash size={16} />
          </IconButton>
        </>
      }
    >
      {asked === 'change' && <ModelKeyDialog modelKey={modelKey} onDone={close} onClose={close} />}
      <Confirm
        isOpen={asked === 'revoke'}
        title={`Revoke ${name}?`}
        action="Revoke the key"
        isBusy={isPending}
        onConfirm={() => mutate({ method: 'DELETE', path: `/${keyId}` }, { onSettled: close })}
        onClose={close}
      >
        Apps that use <b>{name}</b> lose access within a second, or within a minute if the database
        does not respond. Answers that have begun are completed. This cannot be undone.
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
        <Code>bmk_{keyId}_…</Code> made <Age at={createdAt} />
        {expiresAt !== null && (
          <>
            , {isExpired(modelKey, Date.now()) ? 'expired' : 'expires'} <Age at={expiresAt} />
          </>
        )}
        {' · '}
        <Anchor
          component={Link}
          fz="inherit"
          underline="always"
          href={`/models/usage?key=%3D${keyId}`}
          aria-label={`Usage of ${name}`}
        >
          Usage
        </Anchor>
      </div>
    </>
  )
}
