export class Installation {
  constructor(directory: string);
  open(): Promise<Installation>;
  close(): Promise<void>;
  journal(): readonly { readonly event: string; readonly text?: string }[];
}
