"""`python -m threadbare_ray` is `threadbare-ray`."""

from threadbare_ray.command import main

raise SystemExit(main())
