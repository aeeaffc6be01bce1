/** The image in the clipboard, by the tools of the platform that are installed. */
import { childProcess } from '@turnwright/base/node.ts';
import type { NamedImage } from './chips.ts';
import { toNamedImage } from './dropped-images.ts';

interface Tool {
  readonly command: string;
  readonly args: readonly string[];
  /** The image in what it prints. Default: as it is. */
  readonly decode?: (output: Buffer) => Buffer;
}

interface ClipboardPlace {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const WAIT_MS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

const fromBase64 = (output: Buffer) => Buffer.from(output.toString('latin1'), 'base64');

const POWERSHELL: Tool = {
  command: 'powershell.exe',
  args: [
    '-NoProfile',
    '-Command',
    'Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }',
  ],
  decode: fromBase64,
};

function listTools({ platform, env }: ClipboardPlace): readonly Tool[] {
  if (platform === 'win32') return [POWERSHELL];
  if (platform === 'darwin')
    return [
      { command: 'pngpaste', args: ['-'] },
      {
        command: 'osascript',
        args: ['-e', 'the clipboard as «class PNGf»'],
        // `«data PNGf89504E47…»`
        decode: (output) => Buffer.from(/PNGf([\dA-F]+)/.exec(output.toString('latin1'))?.[1] ?? '', 'hex'),
      },
    ];
  return [
    ...(env['WAYLAND_DISPLAY'] ? [{ command: 'wl-paste', args: ['--type', 'image/png'] }] : []),
    ...(env['DISPLAY']
      ? [{ command: 'xclip', args: ['-selection', 'clipboard', '-target', 'image/png', '-out'] }]
      : []),
    ...(env['WSL_DISTRO_NAME'] ? [POWERSHELL] : []),
  ];
}

export type ClipboardImage =
  | { readonly image: NamedImage }
  /** A sentence: there is no image, or no tool to read it with. */
  | { readonly problem: string };

/** Never rejects. */
export async function clipboardImage(place: ClipboardPlace): Promise<ClipboardImage> {
  const tools = listTools(place);
  let ran = false;
  for (const { command, args, decode = (output: Buffer) => output } of tools) {
    const output = await readOutput(command, args, place.env);
    if (output === undefined) continue;
    ran = true;
    const image = toNamedImage(decode(output));
    if (image !== undefined) return { image };
  }
  if (ran) return { problem: 'The clipboard holds no image.' };
  const names = tools.map(({ command }) => command).join(' or ');
  if (names === '')
    return {
      problem: 'This terminal has no clipboard with images. Paste the path of an image file instead.',
    };
  return { problem: `Install ${names} to paste images, or paste the path of an image file.` };
}

/** What a program prints; empty when it fails, undefined when there is none of this name. */
function readOutput(
  command: string,
  args: readonly string[],
  env: ClipboardPlace['env'],
): Promise<Buffer | undefined> {
  const limits = { timeout: WAIT_MS, maxBuffer: MAX_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    childProcess().execFile(command, args, { ...limits, env, encoding: 'buffer' }, (error, stdout) => {
      resolve(error !== null && 'code' in error && error.code === 'ENOENT' ? undefined : stdout);
    });
  });
}
