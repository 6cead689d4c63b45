import { Badge, Code, Group, Menu, Switch, Text } from '@mantine/core'
import { IconPencil, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { KeyReply, KeyWithSecretReply } from '../../../src/dashboard/management/key-routes.ts'
import { Age } from '../ui/age.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { failureOf } from '../ui/messages.ts'
import { MoreMenu } from '../ui/more-menu.tsx'
import { Row } from '../ui/row-list.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { draftOf } from './key-draft.ts'
import { grantText, keyStates } from './key-text.ts'
import { pathOf, useKeyAction } from './keys-queries.ts'
import { RotateDialog } from './rotate-dialog.tsx'

interface KeyRowProps {
  readonly accessKey: KeyReply
  readonly onSecret: (made: KeyWithSecretReply) => void
}

type Asked = 'change' | 'rotate' | 'revoke'

export function KeyRow({ accessKey, onSecret }: KeyRowProps) {
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const rotated = (made: KeyWithSecretReply) => {
    close()
    onSecret(made)
  }
  const isFixed = accessKey.source === 'file'
  return (
    <Row
      title={<Name accessKey={accessKey} />}
      detail={<Detail accessKey={accessKey} />}
      actions={!isFixed && <Actions accessKey={accessKey} onAsk={setAsked} />}
    >
      {accessKey.problem !== null && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {accessKey.problem}
        </Text>
      )}
      {asked === 'change' && (
        <KeyDialog
          title={`Change ${accessKey.name}`}
          action="Save"
          initial={draftOf(accessKey)}
          request={{ method: 'PATCH', path: pathOf(accessKey) }}
          onDone={close}
          onClose={close}
        />
      )}
      {asked === 'rotate' && (
        <RotateDialog accessKey={accessKey} onDone={rotated} onClose={close} />
      )}
      <Revoke accessKey={accessKey} isAsked={asked === 'revoke'} onClose={close} />
    </Row>
  )
}

function Name({ accessKey }: { readonly accessKey: KeyReply }) {
  return (
    <>
      <b>{accessKey.name}</b>{' '}
      {keyStates(accessKey, Date.now()).map(({ label, color }) => (
        <Badge key={label} variant="light" color={color} tt="none" size="sm" mr={4}>
          {label}
        </Badge>
      ))}
    </>
  )
}

function Detail({ accessKey }: { readonly accessKey: KeyReply }) {
  const { accessKeyId, grants, lastUsedAt, expiresAt, note, limits } = accessKey
  const { requestsPerSecond, bytes } = limits
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Code>{accessKeyId}</Code>
        <CopyButton text={accessKeyId} what={`access key of ${accessKey.name}`} />
      </Group>
      <div>{grants.length === 0 ? 'No rights' : grants.map(grantText).join(' · ')}</div>
      <div>
        {lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            used <Age at={lastUsedAt} />
          </>
        )}
        {expiresAt !== null && (
          <>
            , expires <Age at={expiresAt} />
          </>
        )}
        {requestsPerSecond !== null && `, ${requestsPerSecond} requests per second`}
        {bytes !== null && `, ${Number((bytes / 2 ** 30).toFixed(1))} GiB`}
      </div>
      {note !== '' && <div>{note}</div>}
    </>
  )
}

interface ActionsProps {
  readonly accessKey: KeyReply
  readonly onAsk: (asked: Asked) => void
}

function Actions({ accessKey, onAsk }: ActionsProps) {
  const { name, isDisabled } = accessKey
  const { mutate, isPending } = useKeyAction({ onError: failureOf(`${name} could not be changed`) })
  return (
    <>
      <Switch
        size="sm"
        mr={6}
        aria-label={`${name} is active`}
        checked={!isDisabled}
        disabled={isPending}
        onChange={() =>
          mutate({ method: 'PATCH', path: pathOf(accessKey), body: { isDisabled: !isDisabled } })
        }
      />
      <IconButton label={`Change ${name}`} onClick={() => onAsk('change')}>
        <IconPencil size={16} />
      </IconButton>
      <MoreMenu name={name} removal="Revoke" onRemove={() => onAsk('revoke')}>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onAsk('rotate')}>
          Replace the secret
        </Menu.Item>
      </MoreMenu>
    </>
  )
}

interface RevokeProps {
  readonly accessKey: KeyReply
  readonly isAsked: boolean
  readonly onClose: () => void
}

function Revoke({ accessKey, isAsked, onClose }: RevokeProps) {
  const { name } = accessKey
  const { mutate, isPending } = useKeyAction({ onError: failureOf(`${name} could not be revoked`) })
  return (
    <Confirm
      isOpen={isAsked}
      title={`Revoke ${name}?`}
      action="Revoke the key"
      isBusy={isPending}
      onConfirm={() =>
        mutate({ method: 'DELETE', path: pathOf(accessKey) }, { onSettled: onClose })
      }
      onClose={onClose}
    >
      Apps that use <b>{name}</b> and links that were signed with it stop working within a second,
      or within a minute if the database does not respond. This cannot be undone.
    </Confirm>
  )
}
