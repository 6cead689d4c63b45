import { Anchor, Badge, Text } from '@mantine/core'
import { IconLinkOff, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ShareReply } from '../../../src/dashboard/shares/share-schemas.ts'
import { visibleName } from '../files/entries/visible-name.ts'
import { locationPath } from '../files/files-location.ts'
import { frameTexts } from '../texts/frame.ts'
import { Rich } from '../texts/rich.tsx'
import { sharesTexts } from '../texts/shares.ts'
import { Age } from '../ui/age.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { failureOf } from '../ui/messages.ts'
import { Row } from '../ui/row-list.tsx'
import { QrCodeButton } from './qr-code.tsx'
import { draftOf, shareChangeOf } from './share-draft.ts'
import { ShareForm } from './share-form.tsx'
import { endLabels, kindLabels, sharedName, usesText } from './share-text.ts'
import { useChangeShare, useRevokeShare, useShareUrl } from './shares-queries.ts'

/** A share with its address, its uses and what can be done with it. */
export function ShareRow({ share }: { readonly share: ShareReply }) {
  const [isAsked, setIsAsked] = useState(false)
  const [isEdited, setIsEdited] = useState(false)
  const name = visibleName(sharedName(share))
  const url = useShareUrl(share)
  return (
    <Row
      title={<Title name={name} share={share} />}
      detail={<Detail share={share} />}
      actions={
        share.end !== 'revoked' && (
          <>
            {url !== undefined && (
              <>
                <CopyButton text={url} what={sharesTexts.linkTo(name)} />
                <QrCodeButton url={url} name={name} />
              </>
            )}
            <IconButton
              label={sharesTexts.edit(name)}
              aria-expanded={isEdited}
              onClick={() => setIsEdited((before) => !before)}
            >
              <IconPencil size={16} />
            </IconButton>
            <IconButton label={sharesTexts.revoke(name)} onClick={() => setIsAsked(true)}>
              <IconLinkOff size={16} />
            </IconButton>
          </>
        )
      }
    >
      {share.url === null && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {sharesTexts.unreadable}
        </Text>
      )}
      {isEdited && <Edit share={share} onClose={() => setIsEdited(false)} />}
      <Revoke share={share} name={name} isAsked={isAsked} onClose={() => setIsAsked(false)} />
    </Row>
  )
}

interface NamedShare {
  readonly share: ShareReply
  readonly name: string
}

function Title({ share: { kind, items, end, hasPassword }, name }: NamedShare) {
  const badge = (label: string, color: string) => (
    <Badge key={label} variant="light" color={color} tt="none" size="sm" mr={4}>
      {label}
    </Badge>
  )
  return (
    <>
      <b>{name}</b> {kind !== 'file' && items.length === 0 && badge(kindLabels[kind], 'cyan')}
      {hasPassword && badge(sharesTexts.password, 'gray')}
      {end !== null && badge(endLabels[end], end === 'denied' ? 'red' : 'gray')}
    </>
  )
}

function Detail({ share }: { readonly share: ShareReply }) {
  const { bucket, path, items, title, createdAt, expiresAt, lastUsedAt, note, accessKeyId, end } =
    share
  // Chosen files are in the folder itself.
  const prefix =
    items.length > 0 ? path : path.slice(0, path.replace(/\/$/, '').lastIndexOf('/') + 1)
  return (
    <>
      {title !== '' && <div>{sharesTexts.titled(visibleName(title))}</div>}
      {note !== '' && <div>{note}</div>}
      <div>
        <Rich
          text={sharesTexts.place(visibleName(`${bucket}/${prefix}`))}
          marks={{
            place: (words) => (
              <Anchor
                component={Link}
                inherit
                underline="always"
                href={locationPath({ bucket, prefix, filter: '' })}
              >
                {words}
              </Anchor>
            ),
          }}
        />
        {accessKeyId !== null && sharesTexts.rightsOf(accessKeyId)}
      </div>
      <div>
        {usesText(share)}
        {lastUsedAt !== null && (
          <Rich text={sharesTexts.lastUsed} marks={{ age: () => <Age at={lastUsedAt} /> }} />
        )}
        <Rich text={sharesTexts.made} marks={{ age: () => <Age at={createdAt} /> }} />
        {expiresAt !== null && end === null && (
          <Rich text={sharesTexts.ends} marks={{ age: () => <Age at={expiresAt} /> }} />
        )}
      </div>
    </>
  )
}

interface EditProps {
  readonly share: ShareReply
  readonly onClose: () => void
}

function Edit({ share, onClose }: EditProps) {
  // What another tab changes meanwhile is not what this form was opened with.
  const [before] = useState(share)
  const { mutate, isPending, error } = useChangeShare(share.shareId)
  return (
    <ShareForm
      kind={share.kind}
      share={before}
      initial={draftOf(before)}
      action={frameTexts.save}
      failure={sharesTexts.changeFailure}
      error={error}
      isBusy={isPending}
      onCancel={onClose}
      onSubmit={(draft) => mutate(shareChangeOf(draft, before, Date.now()), { onSuccess: onClose })}
    />
  )
}

interface RevokeProps extends NamedShare {
  readonly isAsked: boolean
  readonly onClose: () => void
}

function Revoke({ share, name, isAsked, onClose }: RevokeProps) {
  const { mutate, isPending } = useRevokeShare(failureOf(sharesTexts.revokeFailure(name)))
  return (
    <Confirm
      isOpen={isAsked}
      title={sharesTexts.revokeAsk(name)}
      action={sharesTexts.revokeAction}
      isBusy={isPending}
      onConfirm={() => mutate(share.shareId, { onSettled: onClose })}
      onClose={onClose}
    >
      {sharesTexts.revokeText}
    </Confirm>
  )
}
