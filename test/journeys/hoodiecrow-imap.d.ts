// This file declares the part of hoodiecrow-imap, which has no types, that the tests use.
declare module 'hoodiecrow-imap' {
  interface ImapMessage {
    readonly raw: string;
    readonly flags: readonly string[];
  }
  export interface ImapServer {
    readonly server: import('node:net').Server;
    /** Folders by path. */
    readonly folderCache: Readonly<Record<string, { readonly messages: readonly ImapMessage[] }>>;
  }
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default function hoodiecrow(options: object): ImapServer;
}
