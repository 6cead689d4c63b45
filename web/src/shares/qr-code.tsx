import { ActionIcon, Popover } from '@mantine/core'
import { IconQrcode } from '@tabler/icons-react'
import encodeQR from 'qr'
import { useMemo } from 'react'
import { sharesTexts } from '../texts/shares.ts'

interface QrCodeProps {
  readonly url: string
  /** What the address leads to, for the labels. */
  readonly name: string
}

/** A button that shows an address as a code for the camera of a phone. */
export function QrCodeButton({ url, name }: QrCodeProps) {
  const label = sharesTexts.showQr(name)
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label} title={label}>
          <IconQrcode size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} bg="#fff" aria-label={sharesTexts.qrOf(name)}>
        <QrCode url={url} name={name} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** ISO/IEC 18004: the margin is four modules wide. Dark on light, also in the dark theme: not all cameras read the reverse. */
function QrCode({ url, name }: QrCodeProps) {
  const rows = useMemo(() => encodeQR(url, 'raw', { ecc: 'medium', border: 4 }), [url])
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      role="img"
      aria-label={sharesTexts.qrOf(name)}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      width={220}
      height={220}
      shapeRendering="crispEdges"
      style={{ display: 'block', background: '#fff' }}
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
