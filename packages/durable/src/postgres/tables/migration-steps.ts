/** The tables in Postgres, as numbered steps: a database is at the last step that was applied to it. */

export interface Migration {
  readonly version: number;
  /** The oldest version of a package that goes on with these tables: older ones are refused from here on. */
  readonly serves: number;
  readonly name: string;
  readonly statements: string;
}

/**
 * Steps are only ever added: one that was released is not changed. A step that adds what older packages need
 * not know serves them too; what they use is taken away in a later one, which does not. JSON of users and
 * models is text, as `jsonb` refuses the character U+0000.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    serves: 1,
    name: 'sessions and their journals',
    statements: `
      create table turnwright.sessions (
        session_id text primary key,
        tenant text not null default '',
        host text,
        state text not null default 'idle'
          check (state in ('idle', 'queued', 'running', 'parked', 'poisoned')),
        run int not null default 0,
        epoch int not null default 0,
        head int not null default 0,
        worker text,
        parked jsonb,
        wake_at timestamptz,
        barren_epochs int not null default 0,
        cwd text,
        title text,
        outcome text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      ) with (fillfactor = 50);
      create index sessions_by_state on turnwright.sessions (state, wake_at) where state <> 'idle';

      create table turnwright.journal (
        session_id text not null,
        seq int not null,
        epoch int not null,
        entry_id text not null,
        at timestamptz not null default now(),
        body text not null,
        primary key (session_id, seq),
        -- A later owner records what it does again (the intent of a call that may run twice) under the same id.
        unique (session_id, entry_id, epoch)
      );
      create table turnwright.snapshots (
        session_id text primary key,
        seq int not null,
        state text not null
      );
      alter table turnwright.snapshots alter state set storage external;

      create table turnwright.inbox (
        session_id text not null,
        n int not null,
        key text not null,
        item text not null,
        at timestamptz not null default now(),
        primary key (session_id, n),
        unique (session_id, key)
      );
      create table turnwright.interrupts (
        session_id text not null,
        key text not null,
        at timestamptz not null default now(),
        taken_epoch int,
        primary key (session_id, key)
      );
      create table turnwright.asks (
        session_id text not null,
        ask_id text not null,
        tool_use_id text not null,
        tool_name text not null,
        question text not null,
        asked_at timestamptz not null default now(),
        answer text,
        answered_at timestamptz,
        primary key (session_id, ask_id)
      );

      create table turnwright.messages (
        session_id text not null,
        after_seq int not null,
        n bigint not null,
        epoch int not null,
        message text not null,
        primary key (session_id, after_seq, n)
      );
      create unlogged table turnwright.frames (
        session_id text not null,
        after_seq int not null,
        n bigint not null,
        epoch int not null,
        message text not null,
        primary key (session_id, after_seq, n)
      );
      create unlogged table turnwright.followers (
        session_id text primary key,
        until timestamptz not null
      );

      create table turnwright.blobs (
        session_id text not null,
        key text not null,
        bytes bytea not null,
        primary key (session_id, key)
      );
      create table turnwright.workers (
        worker_id text primary key,
        host text not null,
        pid int not null,
        lock_key bigint not null,
        heartbeat timestamptz not null default now(),
        started_at timestamptz not null default now(),
        draining boolean not null default false,
        version text not null
      );
    `,
  },
  {
    version: 2,
    serves: 1,
    name: 'limits of model requests',
    statements: `
      create table turnwright.limits (
        key text primary key,
        requests_per_minute int,
        tokens_per_minute int
      );
      create table turnwright.buckets (key text primary key, state text not null) with (fillfactor = 50);
    `,
  },
  {
    version: 3,
    serves: 2,
    name: 'which prompts have their results, and since when a run waits',
    statements: `
      -- Numbers in the inbox: of the last prompt, and of the last one up to which each has its result.
      alter table turnwright.sessions add column asked int, add column answered int;
      -- Since when it waits for a worker: updated_at changes whenever the sweep looks at it.
      alter table turnwright.sessions add column queued_at timestamptz;
      create index sessions_unanswered on turnwright.sessions (session_id)
        where state = 'idle' and asked > answered;
    `,
  },
  {
    version: 4,
    serves: 2,
    name: 'limits of tenants',
    statements: `
      -- Of each tenant; '*' has the figures of those that have none of their own.
      create table turnwright.tenant_limits (
        tenant text primary key,
        sessions int,
        runs int,
        usd_per_day float8
      );
      -- What model requests of a UTC day were billed, and what those in flight may be.
      create table turnwright.spending (
        tenant text not null,
        day date not null,
        usd float8 not null default 0,
        primary key (tenant, day)
      ) with (fillfactor = 50);
      create table turnwright.reservations (
        reservation_id text primary key,
        tenant text not null,
        day date not null,
        session text not null,
        run int not null,
        worker text not null,
        usd float8 not null
      );
      create index reservations_by_tenant on turnwright.reservations (tenant);
      -- Since when it waits for a place among the running runs of its tenant, and until when it has one.
      alter table turnwright.sessions add column held_at timestamptz, add column place_until timestamptz;
      create index sessions_by_tenant on turnwright.sessions (tenant, state);
      create index sessions_held on turnwright.sessions (tenant, held_at) where held_at is not null;
    `,
  },
  {
    version: 5,
    serves: 2,
    name: 'owners of sessions, and sessions that were taken out',
    statements: `
      -- Of the last takeover: a database that was restored may give its epoch out again.
      alter table turnwright.sessions add column owner text;
      -- Before it, the journal is not complete: what a long session does not need was removed.
      alter table turnwright.sessions add column kept_from int;

      create table turnwright.removed (
        session_id text primary key,
        kind text not null check (kind in ('deleting', 'archived')),
        -- Some may be left in the tables that hold its rows.
        has_rows boolean not null default true,
        at timestamptz not null default now(),
        reference text,
        facts text
      );
      create index removed_unfinished on turnwright.removed (session_id) where has_rows;
      -- Here, so that packages of every version are refused: a session would begin without its journal.
      create function turnwright.refuse_removed() returns trigger language plpgsql as $body$
      declare found turnwright.removed;
      begin
        select * into found from turnwright.removed where session_id = new.session_id;
        if found.kind = 'archived' then
          raise exception using errcode = 'TW001', detail = found.kind, message =
            format('Session %s is archived: npx turnwright durable restore %s', new.session_id, new.session_id);
        elsif found.kind = 'deleting' then
          raise exception using errcode = 'TW001', detail = found.kind, message =
            format('Session %s is being deleted: try again, or end it with npx turnwright durable prune', new.session_id);
        end if;
        return null;
      end $body$;
      create trigger refuse_removed after insert on turnwright.sessions
        for each row execute function turnwright.refuse_removed();
    `,
  },
];
